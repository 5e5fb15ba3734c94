// The block in the editor of WordPress: its settings, and a placeholder. Visitors see the widget.
;(({ blocks, blockEditor, components, element, i18n }) => {
  const { createElement: h, Fragment } = element
  const { TextControl, SelectControl, ColorPalette, BaseControl, PanelBody, Placeholder } = components
  const { __ } = i18n

  const modes = [
    { value: 'inline', label: __('In the page', 'holdfast') },
    { value: 'popup', label: __('Over the page', 'holdfast') },
    { value: 'floating', label: __('Floating button', 'holdfast') },
    { value: 'frame', label: __('Frame', 'holdfast') },
  ]
  const themes = [
    { value: '', label: __('That of the page', 'holdfast') },
    { value: 'light', label: __('Light', 'holdfast') },
    { value: 'dark', label: __('Dark', 'holdfast') },
    { value: 'light dark', label: __('The visitor’s', 'holdfast') },
  ]

  blocks.registerBlockType('holdfast/booking', {
    edit: ({ attributes, setAttributes }) => {
      const control = (Control, name, label, more = {}) =>
        h(Control, {
          label,
          value: attributes[name],
          onChange: (value) => setAttributes({ [name]: value }),
          ...more,
        })
      const text = (name, label, help) => control(TextControl, name, label, { help })
      return h(
        Fragment,
        null,
        h(
          blockEditor.InspectorControls,
          null,
          h(
            PanelBody,
            { title: __('Looks', 'holdfast') },
            control(SelectControl, 'mode', __('Form', 'holdfast'), { options: modes }),
            control(SelectControl, 'theme', __('Theme', 'holdfast'), { options: themes }),
            h(
              BaseControl,
              { label: __('Colour', 'holdfast'), id: 'holdfast-accent' },
              h(ColorPalette, {
                value: attributes.accent,
                onChange: (accent) => setAttributes({ accent: accent ?? '' }),
              }),
            ),
            text('text', __('Text of the link or button', 'holdfast')),
          ),
          h(
            PanelBody,
            { title: __('Choices', 'holdfast'), initialOpen: false },
            text('serviceId', __('Service', 'holdfast'), __('An ID. If empty, all services.', 'holdfast')),
            text('staffId', __('Person', 'holdfast'), __('An ID, or anyone.', 'holdfast')),
            text(
              'locale',
              __('Language', 'holdfast'),
              __('Such as de. If empty, the visitor’s.', 'holdfast'),
            ),
            text('successUrl', __('Page after the booking', 'holdfast'), __('Such as /thanks.', 'holdfast')),
          ),
        ),
        h(
          'div',
          blockEditor.useBlockProps(),
          h(
            Placeholder,
            { icon: 'calendar-alt', label: 'Holdfast Booking' },
            text(
              'publishableKey',
              __('Publishable key', 'holdfast'),
              __('An administrator sets the address of your Holdfast in Settings > General.', 'holdfast'),
            ),
          ),
        ),
      )
    },
    save: () => null, // rendered by PHP
  })
})(window.wp)
