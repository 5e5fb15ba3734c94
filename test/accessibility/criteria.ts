/* The criteria of WCAG 2.2 at levels A and AA, with the words of people about each. */

import type { CheckName } from './checks.ts'

/** A person's words about a criterion. */
interface Remark {
  /** `yes` unless the program finds something. `n/a`: the product has nothing that the criterion is about. */
  verdict: 'yes' | 'partly' | 'n/a'
  /** Read by a person: markup, screenshots or texts. */
  byHand?: string
  /** Tests that hold it. */
  tests?: readonly string[]
}

export interface Criterion extends Remark {
  id: string
  name: string
  level: 'A' | 'AA'
  /** Checks of the program whose findings belong here. Axe's findings go to the criterion of their rule. */
  checks: readonly CheckName[]
}

const criterion = (
  id: string,
  level: Criterion['level'],
  name: string,
  remark: Remark & { checks?: readonly CheckName[] },
): Criterion => ({ id, level, name, checks: [], ...remark })

const axe = ['axe', 'axe at 320'] as const
const none = (why: string): Remark => ({ verdict: 'n/a', byHand: why })

const calendarTest = 'test/console/calendar-in-browser.test.ts'

/** The day on which a person read what `byHand` describes. */
export const readOn = '2026-11-29'

const perceivable = [
  criterion('1.1.1', 'A', 'Non-text Content', {
    ...{ verdict: 'yes', checks: axe },
    byHand:
      'Icons are hidden from assistive technology, and their buttons have names. Pictures of a business, its team and its services have an empty alternative, because their name stands next to them.',
  }),
  criterion('1.2.1', 'A', 'Audio-only and Video-only (Prerecorded)', none('No page has sound or video.')),
  criterion('1.2.2', 'A', 'Captions (Prerecorded)', none('No page has video.')),
  criterion('1.2.3', 'A', 'Audio Description or Media Alternative (Prerecorded)', none('No page has video.')),
  criterion('1.2.4', 'AA', 'Captions (Live)', none('No page has video.')),
  criterion('1.2.5', 'AA', 'Audio Description (Prerecorded)', none('No page has video.')),
  criterion('1.3.1', 'A', 'Info and Relationships', { verdict: 'yes', checks: axe }),
  criterion('1.3.2', 'A', 'Meaningful Sequence', { verdict: 'yes', checks: ['tab order'] }),
  criterion('1.3.3', 'A', 'Sensory Characteristics', {
    verdict: 'yes',
    byHand: 'The English texts name controls by their labels. Above and below follow the order of reading.',
  }),
  criterion('1.3.4', 'AA', 'Orientation', {
    verdict: 'yes',
    byHand: 'No style sheet or script asks for the orientation of the screen.',
  }),
  criterion('1.3.5', 'AA', 'Identify Input Purpose', {
    ...{ verdict: 'yes', checks: axe },
    byHand: 'Fields of clients about themselves, and those of the log-in, have their `autocomplete`.',
  }),
  criterion('1.4.1', 'A', 'Use of Color', {
    ...{ verdict: 'yes', checks: ['forced colours'] },
    byHand: 'States have a word, an icon or an edge next to their colour.',
  }),
  criterion('1.4.2', 'A', 'Audio Control', none('No page plays sound.')),
  criterion('1.4.3', 'AA', 'Contrast (Minimum)', {
    ...{ verdict: 'yes', checks: ['axe', 'axe at 320', 'contrast in the dark'] },
    tests: ['test/widget/brand-colors.test.ts'],
  }),
  criterion('1.4.4', 'AA', 'Resize Text', {
    ...{ verdict: 'yes', checks: ['reflow'] },
    byHand: 'No page forbids zooming.',
  }),
  criterion('1.4.5', 'AA', 'Images of Text', {
    verdict: 'yes',
    byHand: 'Holdfast has no pictures of text, except for the screenshots in its guides. Logos are exempt.',
  }),
  criterion('1.4.10', 'AA', 'Reflow', { verdict: 'yes', checks: ['reflow'] }),
  criterion('1.4.11', 'AA', 'Non-text Contrast', {
    verdict: 'yes',
    byHand:
      'The style sheets give edges of inputs at least 3 to 1. Buttons without such an edge have a text with the contrast of 1.4.3.',
  }),
  criterion('1.4.12', 'AA', 'Text Spacing', { verdict: 'yes', checks: ['text spacing'] }),
  criterion('1.4.13', 'AA', 'Content on Hover or Focus', {
    verdict: 'yes',
    byHand:
      'In the calendar, free time shows its start under the pointer, and Escape hides it. Other titles are those of the browser.',
  }),
]

const operable = [
  criterion('2.1.1', 'A', 'Keyboard', {
    ...{ verdict: 'yes', checks: ['tab order'] },
    tests: ['test/widget/flow-in-browser.test.ts', 'test/console/start-in-browser.test.ts', calendarTest],
  }),
  criterion('2.1.2', 'A', 'No Keyboard Trap', { verdict: 'yes', checks: ['tab order'] }),
  criterion('2.1.4', 'A', 'Character Key Shortcuts', {
    verdict: 'yes',
    byHand: 'Only the calendar has shortcuts of single letters. Its list of shortcuts turns them off.',
    tests: [calendarTest],
  }),
  criterion('2.2.1', 'A', 'Timing Adjustable', {
    verdict: 'yes',
    byHand:
      'A hold ends after minutes, because others want the same time: real-time events are exempt. Typed text stays, and the visitor can choose a time again. A form of the console survives the end of its log-in.',
    tests: ['test/widget/flow-in-browser.test.ts', 'test/console/kept-in-browser.test.ts'],
  }),
  criterion('2.2.2', 'A', 'Pause, Stop, Hide', {
    ...{ verdict: 'yes', checks: ['reduced motion'] },
    byHand:
      'Nothing blinks or scrolls. The remaining time of a hold and the bookings in the calendar update themselves, because stale ones would mislead.',
  }),
  criterion('2.3.1', 'A', 'Three Flashes or Below Threshold', {
    verdict: 'yes',
    byHand: 'Nothing flashes.',
  }),
  criterion('2.4.1', 'A', 'Bypass Blocks', {
    ...{ verdict: 'yes', checks: axe },
    byHand: 'Pages begin with a link to their content.',
  }),
  criterion('2.4.2', 'A', 'Page Titled', { verdict: 'yes', checks: axe }),
  criterion('2.4.3', 'A', 'Focus Order', {
    ...{ verdict: 'yes', checks: ['tab order'] },
    tests: ['test/widget/flow-in-browser.test.ts', 'test/console/panel-in-browser.test.ts'],
  }),
  criterion('2.4.4', 'A', 'Link Purpose (In Context)', { verdict: 'yes', checks: axe }),
  criterion('2.4.5', 'AA', 'Multiple Ways', {
    verdict: 'yes',
    byHand:
      'The console has a menu and a search; the guides have a list and links between them. Booking pages are steps of one process.',
  }),
  criterion('2.4.6', 'AA', 'Headings and Labels', {
    verdict: 'yes',
    byHand: 'Headings of all listed states but guides were read; they name the page or the step.',
  }),
  criterion('2.4.7', 'AA', 'Focus Visible', { verdict: 'yes', checks: ['visible focus'] }),
  criterion('2.4.11', 'AA', 'Focus Not Obscured (Minimum)', {
    verdict: 'yes',
    checks: ['focus not covered'],
  }),
  criterion('2.5.1', 'A', 'Pointer Gestures', {
    verdict: 'yes',
    byHand: 'Two fingers enlarge a picture that is cropped; a slider does the same.',
  }),
  criterion('2.5.2', 'A', 'Pointer Cancellation', {
    verdict: 'yes',
    byHand: 'Buttons act when released. Escape ends dragging, and a moved appointment can be moved back.',
    tests: [calendarTest],
  }),
  criterion('2.5.3', 'A', 'Label in Name', { verdict: 'yes', checks: axe }),
  criterion('2.5.4', 'A', 'Motion Actuation', none('Nothing reacts to the movement of a device.')),
  criterion('2.5.7', 'AA', 'Dragging Movements', {
    verdict: 'partly',
    byHand:
      'Appointments, blocked times and the order of lists change without dragging, by forms and buttons. But a picture in its frame moves only by dragging or by arrow keys.',
    tests: [calendarTest],
  }),
  criterion('2.5.8', 'AA', 'Target Size (Minimum)', { verdict: 'yes', checks: ['target size'] }),
]

const understandable = [
  criterion('3.1.1', 'A', 'Language of Page', { verdict: 'yes', checks: axe }),
  criterion('3.1.2', 'AA', 'Language of Parts', {
    verdict: 'partly',
    byHand:
      'Texts of a business, such as descriptions, have no language of their own in the markup if the page is in another one.',
  }),
  criterion('3.2.1', 'A', 'On Focus', {
    ...{ verdict: 'yes', checks: ['tab order'] },
    byHand: 'No script opens or sends anything on focus alone.',
  }),
  criterion('3.2.2', 'A', 'On Input', {
    verdict: 'partly',
    byHand:
      'Lists of choices above some lists of the console load the page again at once. Forms of clients wait for their button.',
  }),
  criterion('3.2.3', 'AA', 'Consistent Navigation', {
    verdict: 'yes',
    byHand: 'All pages of the console have the same menu in the same order, as have all guides.',
  }),
  criterion('3.2.4', 'AA', 'Consistent Identification', {
    verdict: 'yes',
    byHand: 'Texts come from one file for each language, so that the same action has the same name.',
    tests: ['test/texts/texts.test.ts', 'test/texts/console-texts.test.ts'],
  }),
  criterion('3.2.6', 'A', 'Consistent Help', {
    verdict: 'yes',
    byHand: 'Phone and email of the business stand below the booking, at the same place in each step.',
  }),
  criterion('3.3.1', 'A', 'Error Identification', {
    ...{ verdict: 'yes', checks: axe },
    tests: ['test/widget/flow-in-browser.test.ts', 'test/console/set-up-in-browser.test.ts'],
  }),
  criterion('3.3.2', 'A', 'Labels or Instructions', { verdict: 'yes', checks: axe }),
  criterion('3.3.3', 'AA', 'Error Suggestion', {
    verdict: 'yes',
    byHand: 'Faults in the listed states with faults name the field and the remedy.',
  }),
  criterion('3.3.4', 'AA', 'Error Prevention (Legal, Financial, Data)', {
    verdict: 'yes',
    byHand:
      'The last step of a booking shows service, time and price before its button. Bookings can be cancelled by their link. Refunds, charges and erasures ask first.',
  }),
  criterion('3.3.7', 'A', 'Redundant Entry', {
    verdict: 'yes',
    byHand: 'A booking asks for each detail once, and a lost time does not clear them.',
    tests: ['test/widget/flow-in-browser.test.ts'],
  }),
  criterion('3.3.8', 'AA', 'Accessible Authentication (Minimum)', {
    verdict: 'yes',
    byHand:
      'Clients log in by a link. People of the business use a passkey, or a password that managers can fill in and that can be pasted.',
    tests: ['test/people/passkeys-in-browser.test.ts'],
  }),
]

const robust = [
  criterion('4.1.2', 'A', 'Name, Role, Value', { verdict: 'yes', checks: axe }),
  criterion('4.1.3', 'AA', 'Status Messages', {
    verdict: 'yes',
    byHand: 'Results and faults have the role `status` or `alert`, in the widget and in the console.',
    tests: ['test/widget/flow-in-browser.test.ts', calendarTest],
  }),
]

/** All criteria of WCAG 2.2 at levels A and AA, in their order. 4.1.1 is obsolete and removed. */
export const criteria: Criterion[] = [...perceivable, ...operable, ...understandable, ...robust]
