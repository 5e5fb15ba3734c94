/** The texts of the page on which a client manages a booking; the widget's own stand beside them. */
export interface ManageTexts {
  title: string
  booked: string
  pending: string
  over: string
  cancelled: string
  cancelledHint: string
  withPerson: string
  refunded: string
  refundComing: string
  move: string
  cancel: string
  bookAgain: string
  always: string
  afterwards: string
  askMove: string
  now: string
  then: string
  confirmMove: string
  keep: string
  back: string
  askCancel: string
  refundFull: string
  refundNone: string
  reason: string
  confirmCancel: string
  moved: string
  changed: string
  notAllowed: string
  ended: string
  endedHint: string
  unreachable: string
}
