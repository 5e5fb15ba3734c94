/** The widget's texts, one file a language; `{…}` are placeholders. */
export interface Texts {
  book: string
  close: string
  change: string
  loading: string
  stepService: string
  stepLocation: string
  stepStaff: string
  stepTime: string
  stepDetails: string
  stepDone: string
  anyone: string
  anyoneHint: string
  deposit: string
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
  noneInMonth: string
  noneAtAll: string
  nextFree: string
  timesShownIn: string
  yourTime: string
  locationTime: string
  otherZones: string
  atLocation: string
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
  firstName: string
  lastName: string
  email: string
  phone: string
  notes: string
  optional: string
  choose: string
  faultRequired: string
  faultEmail: string
  faultInvalid: string
  faultsFound: string
  submit: string
  submitDeposit: string
  booking: string
  toCheckout: string
  booked: string
  bookedFor: string
  pending: string
  pendingHint: string
  pay: string
  checkAgain: string
  cancelled: string
  cancelledHint: string
  addToCalendar: string
  manage: string
  bookAnother: string
  waiting: string
  unreachable: string
  misconfigured: string
  busy: string
  unknown: string
  tryAgain: string
  poweredBy: string
}

/** Fills the placeholders of a text. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
