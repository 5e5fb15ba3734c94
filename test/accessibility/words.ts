/* Sentences of the report that a person wrote. */

/** Clauses of EN 301 549 next to those of WCAG. */
export const clauses: [clause: string, result: string, remark: string][] = [
  [
    '5 Generic requirements',
    'supports',
    'Passkeys (5.3, biometrics) are one way to log in; passwords are another.',
  ],
  ['6 to 8', 'not applicable', 'No two-way voice, no video, no hardware.'],
  ['9.1 to 9.4 WCAG', 'see above', 'Web pages.'],
  [
    '9.6 Conformance requirements',
    'supports partly',
    'Whole pages and whole processes were checked, with the gaps above. Checkout pages of Stripe belong to Stripe.',
  ],
  [
    '10 Non-web documents',
    'not evaluated',
    'Emails and calendar files. Tests read the text of emails, not their accessibility.',
  ],
  [
    '11.1 to 11.6 Software',
    'not applicable',
    'No software outside a browser has an interface. The command line prints plain text.',
  ],
  [
    '11.7 User preferences',
    'supports',
    'The scheme of colours, forced colours, reduced motion and the size of text are those of the device.',
  ],
  [
    '11.8 Authoring tools',
    'supports partly',
    'Texts and pictures of a business become pages that meet the criteria. Nobody can write an alternative text for a picture; its name stands next to it.',
  ],
  [
    '12.1 Product documentation',
    'supports',
    'This report lists the properties. The guides are pages that it covers.',
  ],
  ['12.2 Support services', 'not applicable', 'The operator of a server supports its users.'],
  ['13 Relay and emergency services', 'not applicable', ''],
]

/** Known limits, as sentences. */
export const limits: string[] = [
  'No user of a screen reader, of speech input or of a magnifier has tried Holdfast.',
  'Nobody has checked it in Safari, or with the settings of a phone. The tests run parts of it in Firefox.',
  'The checks read the focus from styles. They do not measure its contrast (1.4.11).',
  'Reflow is checked at 320 pixels, not by the zoom of the browser itself.',
  'Emails, calendar files and pages of Stripe were not evaluated.',
  'Texts, colours and pictures of a business are its own. Holdfast corrects the contrast of its colour only.',
]

/** Returns the paragraph on reading by hand. */
export function byHand(day: string): string {
  return `On ${day}, an engineer of Holdfast read style sheets, scripts and markup for the criteria marked "read by hand". They also looked at small screenshots of all states of booking and console at 1280 pixels.`
}
