<?php
/**
 * Plugin Name: Holdfast Booking
 * Description: The booking widget of Holdfast as a block and a shortcode.
 * Version: 0.2.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: Apache-2.0
 * Text Domain: holdfast
 *
 * The shortcode is [holdfast publishable-key="cal_pub_…"]. The block has the same attributes. Both print the elements of
 * the widget, which docs/guides/widget.md describes. Only administrators set the server, in Settings > General, because
 * its script runs on the pages of the website.
 */

defined('ABSPATH') || exit;

/** Attributes of the element, with those that only the plugin reads. */
const HOLDFAST_ATTRIBUTES = array(
    'mode', 'publishable-key', 'service-id', 'services', 'location-id', 'staff-id', 'date', 'locale',
    'time-zone', 'theme', 'accent', 'success-url',
);

add_action('init', 'holdfast_init');
add_action('admin_init', 'holdfast_settings');

/** Registers the shortcode, the block and its editor. */
function holdfast_init(): void
{
    add_shortcode('holdfast', 'holdfast_shortcode');
    wp_register_script(
        'holdfast-editor',
        plugins_url('editor.js', __FILE__),
        array('wp-blocks', 'wp-block-editor', 'wp-components', 'wp-element', 'wp-i18n'),
        '0.2.0',
        true
    );
    register_block_type(__DIR__, array('render_callback' => 'holdfast_block'));
}

/** Adds the address of the server to Settings > General, which only administrators can change. */
function holdfast_settings(): void
{
    register_setting('general', 'holdfast_server', array(
        'type' => 'string',
        'sanitize_callback' => static fn ($url) => untrailingslashit(esc_url_raw((string) $url, array('https', 'http'))),
    ));
    add_settings_field('holdfast_server', __('Address of your Holdfast', 'holdfast'), static function (): void {
        printf(
            '<input type="url" id="holdfast_server" name="holdfast_server" value="%s" class="regular-text code">',
            esc_attr(get_option('holdfast_server', ''))
        );
    }, 'general', 'default', array('label_for' => 'holdfast_server'));
}

/**
 * Renders the block. Its attributes are those of the shortcode in camel case.
 *
 * @param array<string, string> $given
 */
function holdfast_block(array $given): string
{
    $attributes = array();
    foreach ($given as $name => $value) {
        $attributes[strtolower(preg_replace('/[A-Z]/', '-$0', $name))] = $value;
    }
    return holdfast_shortcode($attributes, $given['text'] ?? '');
}

/**
 * Renders the shortcode. Its content is the text of the link. If server or key is missing, people who can edit pages see a
 * note, and others nothing.
 *
 * @param array<string, string>|string $given
 */
function holdfast_shortcode($given, ?string $content = ''): string
{
    $attributes = array_filter(
        shortcode_atts(array_fill_keys(HOLDFAST_ATTRIBUTES, ''), (array) $given, 'holdfast'),
        static fn ($value) => is_string($value) && $value !== ''
    );
    $server = (string) get_option('holdfast_server', '');
    $key = $attributes['publishable-key'] ?? '';
    if ($server === '' || preg_match('/^cal_pub_\w+$/', $key) !== 1) {
        return current_user_can('edit_posts')
            ? '<p>' . esc_html__('Holdfast: set its address in Settings > General, and publishable-key here.', 'holdfast') . '</p>'
            : '';
    }
    $text = trim(wp_strip_all_tags((string) $content));
    $link = array(
        'page' => add_query_arg(
            array_filter(array(
                'service' => rawurlencode($attributes['service-id'] ?? ''),
                'staff' => rawurlencode($attributes['staff-id'] ?? ''),
            )),
            "$server/book/$key"
        ),
        'text' => $text === '' ? __('Book an appointment', 'holdfast') : $text,
    );
    $mode = $attributes['mode'] ?? 'inline';
    unset($attributes['mode']);
    return holdfast_markup($mode, $server, $attributes, $link);
}

/**
 * Returns the HTML of one form of the widget.
 *
 * @param array<string, string>             $attributes
 * @param array{page: string, text: string} $link
 */
function holdfast_markup(string $mode, string $server, array $attributes, array $link): string
{
    $anchor = static fn (string $more = ''): string => sprintf(
        '<a href="%s"%s>%s</a>',
        esc_url($link['page']),
        $more,
        esc_html($link['text'])
    );
    switch ($mode) {
        case 'popup':
            holdfast_enqueue($server, 'v1.js');
            $attributes['holdfast-open'] = $attributes['publishable-key'];
            return $anchor(holdfast_attributes($attributes, 'data-'));
        case 'floating':
            holdfast_enqueue($server, 'holdfast.js');
            return '<holdfast-button' . holdfast_attributes($attributes) . '>' . $anchor() . '</holdfast-button>';
        case 'frame':
            $looks = array_map('rawurlencode', array_intersect_key($attributes, array('theme' => 0, 'accent' => 0)));
            return sprintf(
                '<iframe src="%s" title="%s" style="width: 100%%; height: 800px; border: 0"></iframe>',
                esc_url(add_query_arg($looks, $link['page'])),
                esc_attr($link['text'])
            );
        default:
            holdfast_enqueue($server, 'v1.js');
            return '<holdfast-booking' . holdfast_attributes($attributes)
                . ' style="display: block; min-height: 800px">' . $anchor() . '</holdfast-booking>';
    }
}

/** @param array<string, string> $attributes */
function holdfast_attributes(array $attributes, string $prefix = ''): string
{
    $html = '';
    foreach ($attributes as $name => $value) {
        $html .= sprintf(' %s%s="%s"', $prefix, $name, esc_attr($value));
    }
    return $html;
}

/** Loads a script of the server once, at the end of the page. Both work as classic scripts. */
function holdfast_enqueue(string $server, string $file): void
{
    // no version: the server tells browsers when the script has changed
    wp_enqueue_script('holdfast-' . md5("$server/$file"), "$server/widget/$file", array(), null, true);
}
