/** The widget's texts, one file a language; `{…}` are placeholders. */
export interface Texts extends LaterTexts {
  book: string
  close: string
  change: string
  loading: string
  stepService: string
  stepLocation: string
  stepStaff: string
  stepTime: string
  stepDetails: string
  anyone: string
  anyoneHint: string
  deposit: string
  /** Shows a description whole, and cuts it again. */
  more: string
  less: string
  nothingOffered: string
  previousMonth: string
  nextMonth: string
  free: string
  notFree: string
  chosen: string
  chooseDay: string
  timesOn: string
  morning: string
  afternoon: string
  evening: string
  seatsLeft: string
  howMany: string
  /** Of people in one booking, where more were typed. */
  atMost: string
  noneInMonth: string
  noneAtAll: string
  nextFree: string
  timesShownIn: string
  yourTime: string
  locationTime: string
  otherZones: string
  atLocation: string
  manage: string
  waiting: string
  unreachable: string
  misconfigured: string
  busy: string
  unknown: string
  tryAgain: string
  poweredBy: string
}

/** What is said after the first step: in English a file of their own, so that the first one is there sooner. */
export interface LaterTexts {
  stepDone: string
  holding: string
  held: string
  heldFor: string
  twoMinutesLeft: string
  expired: string
  holdAgain: string
  taken: string
  notOffered: string
  tooManyHolds: string
  tooManyBookings: string
  refused: string
  otherTimes: string
  chooseOther: string
  askClose: string
  goOn: string
  firstName: string
  lastName: string
  email: string
  phone: string
  notes: string
  optional: string
  choose: string
  faultRequired: string
  faultEmail: string
  faultPhone: string
  faultInvalid: string
  faultsFound: string
  submit: string
  submitDeposit: string
  booking: string
  toCheckout: string
  booked: string
  bookedFor: string
  mailed: string
  pending: string
  pendingHint: string
  pay: string
  checkAgain: string
  cancelled: string
  cancelledHint: string
  addToCalendar: string
  onePerson: string
  people: string
  map: string
  online: string
  paid: string
  due: string
  calendarFile: string
  untilBoth: string
  untilMove: string
  untilCancel: string
  contact: string
  left: string
  onlineLater: string
  bookAnother: string
}

/** Fills the placeholders of a text. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
