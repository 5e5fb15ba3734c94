import type english from '../../../texts/console/en.json'

/*
 * The types of texts/console: keys as nested groups, and messages with parameters as functions. An unknown
 * key or a missing parameter does not compile.
 */

type Message<Key> = Key extends keyof TextParameters ? (values: TextParameters[Key]) => string : string

type Head<Key> = Key extends `${infer First}.${string}` ? First : Key
type Rest<Key, First extends string> = Key extends `${First}.${infer Later}` ? Later : never

type Group<Key extends string, Path extends string> = {
  [Name in Head<Key> & string]: Name extends Key
    ? Message<`${Path}${Name}`>
    : Group<Rest<Key, Name>, `${Path}${Name}.`>
}

/** The texts of a language, such as `calendar.title`. */
export type TextGroups = Group<keyof typeof english, ''>

/** Returns the text for a code of the API, if the group has one. */
export function textFor<Text>(group: Record<string, Text>, code: string): Text | undefined {
  return Object.hasOwn(group, code) ? group[code] : undefined
}

/**
 * Parameters of console texts by their key in texts/console. TypeScript cannot read them from the file, so
 * test/texts compares both.
 */
export interface TextParameters {
  'frame.testClock': { time: string | number }
  'calendar.hours': { hours: string | number }
  'calendar.minutes': { minutes: string | number }
  'calendar.hoursAndMinutes': { hours: string | number; minutes: string | number }
  'calendar.inUse': { count: string | number; time: string | number }
  'calendar.blockedFor': { reason: string | number }
  'calendar.held': { left: string | number }
  'calendar.free': { from: string | number; to: string | number }
  'calendar.clientNote': { note: string | number }
  'calendar.people': { count: string | number }
  'calendar.booked': { count: string | number }
  'calendar.withWhom': { name: string | number }
  'calendar.withLater': { name: string | number }
  'calendar.withBefore': { name: string | number }
  'calendar.withMeanwhile': { name: string | number }
  'calendar.part': { count: string | number; number: string | number }
  'calendar.goesOn': { service: string | number }
  'today.morning': { name: string | number }
  'today.afternoon': { name: string | number }
  'today.evening': { name: string | number }
  'today.over': { count: string | number }
  'setUp.notYoursWhy': { role: string | number }
  'users.wholeHub': { hub: string | number }
  'users.lastLogIn': { date: string | number }
  'users.newLinkMailed': { email: string | number }
  'users.linkHow': { email: string | number; minutes: string | number }
  'users.invitedAs': { date: string | number; role: string | number }
  'users.tooManyMails': { minutes: number }
  'users.filed.invited': { folder: string | number }
  'users.filed.linked': { folder: string | number }
  'fault.too_long': { number: string | number }
  'fault.too_many': { number: string | number }
  'fault.at_least': { number: string | number }
  'fault.at_most': { number: string | number }
  'fault.deposit_only': { choice: string | number }
  'fault.fees_need_card': { choice: string | number }
  'fault.overlap': { span: string | number }
  'fault.other': { detail: string | number }
  'shown.slugOffer': { slug: string | number }
  'services.priceFrom': { amount: string | number }
  'services.feeTooLate': { notice: string | number }
  'services.feeUntil': { hours: string | number; notice: string | number }
  'services.step': { number: string | number }
  'services.needsTooMany': { most: number }
  'services.needsElsewhere': { location: string | number }
  'services.notATime': { day: string | number; starts: string | number }
  'services.outsideHours': { day: string | number; places: string | number; start: string | number }
  'services.nobodyWorks': { day: string | number; start: string | number }
  'services.question': { number: string | number }
  'services.withDeposit': { amount: string | number }
  'services.forMany': { count: string | number }
  'services.moveOf': { name: string | number }
  'coupons.used': { count: number }
  'coupons.usedOf': { count: string | number; most: string | number }
  'coupons.offInAll': { amount: string | number }
  'coupons.endsOn': { day: string | number }
  'staff.onlyOne': { service: string | number }
  'staff.today': { hours: string | number }
  'resources.count': { count: string | number }
  'hours.opens': { span: number }
  'hours.closes': { span: number }
  'hours.needsEnd': { day: string | number; opens: string | number }
  'hours.needsStart': { closes: string | number; day: string | number }
  'hours.add': { day: string | number }
  'hours.copy': { day: string | number }
  'hours.needsTimes': { day: string | number }
  'overrides.under': { count: number; isMore: boolean }
  'book.total': { amount: string | number }
  'book.badParty': { most: string | number }
  'book.seatsLeft': { count: string | number }
  'book.freeOn': { day: string | number }
  'book.freeLater': { day: string | number }
  'book.dayFull': { day: string | number }
  'book.newNamed': { name: string | number }
  'book.textsAgreedOn': { date: string | number }
  'book.blockedBy': { name: string | number }
  'book.blockedByFor': { name: string | number; reason: string | number }
  'book.ofItem': { service: string | number; text: string | number }
  'move.of': { client: string | number; service: string | number }
  'block.under': { count: number }
  'away.heading': { name: string | number }
  'away.open': { count: number }
  'away.given': { count: number; name: string | number }
  'away.givenToMany': { count: number }
  'away.notFree': { name: string | number }
  'away.notOffered': { name: string | number }
  'away.cancelRest': { count: number }
  'away.cancelled': { count: number }
  'away.more': { count: number }
  'class.seats': { capacity: string | number; count: string | number }
  'class.places': { capacity: string | number; count: string | number }
  'class.moveHow': { count: number }
  'class.cancelHow': { count: number }
  'class.tooMany': { count: string | number }
  'website.qrCode': { link: string | number }
  'website.setAddress': { address: string | number }
  'settings.zoneHint': { kept: string | number }
  'settings.zoneToo': { names: string | number }
  'settings.moved': { count: number; isMore: boolean }
  'settings.textsHint': { allowed: string | number; used: string | number }
  'settings.test': { email: string | number }
  'settings.filed': { folder: string | number }
  'start.known': { names: string | number }
  'start.aloneHint': { name: string | number }
  'start.minutesOf': { name: string | number }
  'start.priceOf': { name: string | number }
  'start.nameOf': { name: string | number }
  'start.stepOf': { name: string | number; number: string | number }
  'gate.oidcUnknown': { email: string | number }
  'gate.forgottenHow': { minutes: string | number }
  'gate.onItsWayIf': { minutes: string | number }
  'gate.filedIf': { folder: string | number; minutes: string | number }
  'gate.tooOften': { seconds: number }
  'gate.tooOftenMinutes': { minutes: number }
  'gate.passwordRules': { least: string | number }
  'gate.faults.password_too_short': { least: string | number }
  'gate.faults.password_too_long': { most: string | number }
  'gate.noInvitations': { email: string | number }
  'gate.notProved': { email: string | number }
  'gate.until': { date: string | number }
  'gate.linkEndedWhy': { minutes: string | number }
  'kept.other': { name: string | number }
  'kept.present': { name: string | number }
  'kept.goThere': { name: string | number }
  'kept.showHere': { name: string | number }
  'kept.number': { id: string | number }
  'account.emailAwaited': { email: string | number }
  'account.emailSent': { email: string | number }
  'account.since': { date: string | number }
  'account.lastSeen': { date: string | number }
  'account.passkeys.otherHost': { host: string | number }
  'account.passkeys.changeOf': { name: string | number }
  'account.passkeys.full': { most: string | number }
  'account.passkeys.elsewhere': { address: string | number }
  'consent.wants': { program: string | number }
  'consent.leads': { host: string | number }
  'consent.who': { email: string | number }
  'consent.invalid': { code: string | number }
  'consent.back': { host: string | number }
  'programs.removeOf': { name: string | number }
  'clients.mergeTitle': { name: string | number }
  'clients.mergeAsk': { name: string | number; other: string | number }
  'clients.mergeMoves': { name: string | number }
  'clients.mergeGone': { name: string | number; other: string | number }
  'clients.mergeSwap': { other: string | number }
  'clients.visits': { count: number }
  'clients.cancelled': { count: string | number }
  'clients.stopped': { date: string | number }
  'clients.eraseTitle': { name: string | number }
  'clients.eraseAhead': { count: number }
  'waitlist.position': { number: string | number }
  'waitlist.since': { when: string | number }
  'waitlist.kept': { until: string | number; when: string | number }
  'clientImport.counts.created': { count: number }
  'clientImport.counts.changed': { count: number }
  'clientImport.counts.unchanged': { count: number }
  'clientImport.counts.repeated': { count: number }
  'clientImport.counts.failed': { count: number }
  'clientImport.run': { count: number }
  'clientImport.column': { number: string | number }
  'clientImport.row': { number: string | number }
  'clientImport.more': { count: number }
  'clientImport.faults.openQuote': { number: string | number }
  'bookingImport.run': { count: number }
  'bookingImport.counts.coming': { count: number }
  'bookingImport.counts.past': { count: number }
  'bookingImport.counts.present': { count: number }
  'bookingImport.counts.differing': { count: number }
  'bookingImport.counts.conflicts': { count: number }
  'bookingImport.overlaps': { number: string | number }
  'booking.minutes': { minutes: string | number }
  'booking.people': { count: number }
  'booking.coupon': { amount: string | number; code: string | number }
  'booking.visit': { number: number }
  'booking.noShows': { count: number }
  'booking.agreed': { moment: string | number }
  'booking.depositDue': { amount: string | number }
  'booking.depositPaid': { amount: string | number; day: string | number; provider: string | number }
  'booking.depositExpired': { amount: string | number }
  'booking.depositRefunded': { amount: string | number; day: string | number }
  'booking.fullDue': { amount: string | number }
  'booking.fullPaid': { amount: string | number; day: string | number; provider: string | number }
  'booking.fullExpired': { amount: string | number }
  'booking.fullRefunded': { amount: string | number; day: string | number }
  'booking.partRefunded': { amount: string | number }
  'booking.cardSaved': { day: string | number; provider: string | number }
  'booking.fees.charging': { amount: string | number; what: string | number }
  'booking.fees.due': { amount: string | number; what: string | number }
  'booking.fees.paid': { amount: string | number; day: string | number; what: string | number }
  'booking.fees.refunded': { amount: string | number; what: string | number }
  'booking.fees.waived': { amount: string | number; what: string | number }
  'booking.declined': { reason: string | number }
  'booking.failures.other': { code: string | number }
  'booking.waiveAsk': { amount: string | number }
  'booking.waiveHow': { name: string | number }
  'booking.waivePaidHow': { name: string | number }
  'booking.dueThere': { amount: string | number }
  'booking.linkSendHow': { email: string | number }
  'booking.againUsually': { weeks: string | number }
  'booking.inWeeks': { weeks: string | number }
  'booking.servicesAdded': { names: string | number }
  'booking.servicesRemoved': { names: string | number }
  'booking.movedFrom': { from: string | number; to: string | number }
  'booking.byNamed.key': { name: string | number }
  'booking.byNamed.person': { name: string | number }
  'booking.mailStates.queued': { to: string | number }
  'booking.mailStates.sent': { to: string | number }
  'booking.mailStates.failed': { to: string | number }
  'booking.mailStates.kept': { to: string | number }
  'booking.refundHint': { amount: string | number }
  'booking.chargeMost': { amount: string | number }
  'booking.chargeAsk': { amount: string | number }
  'booking.chargeAskCard': { amount: string | number; name: string | number }
  'booking.chargeAskLink': { amount: string | number; name: string | number }
  'booking.chargeNow': { amount: string | number }
  'booking.chargeRequest': { amount: string | number }
  'booking.noShowWhy': { amount: string | number; name: string | number }
  'booking.noShowPaid': { amount: string | number }
  'booking.noShowRefunded': { amount: string | number }
  'booking.noShowCharge': { amount: string | number }
  'booking.noShowRequest': { amount: string | number }
  'booking.refundNow': { amount: string | number }
  'booking.refundYes': { amount: string | number }
  'booking.refundNo': { amount: string | number }
  'booking.refundByOwner': { amount: string | number }
  'booking.tellYes': { email: string | number }
  'requests.answerBy': { time: string | number }
  'requests.allDates': { count: number }
  'requests.confirmOf': { client: string | number; time: string | number }
  'requests.declineOf': { client: string | number; time: string | number }
  'requests.tooLate': { time: string | number }
  'requests.waiting': { count: number; isMore: boolean }
  'numbers.tooLong': { weeks: string | number }
  'numbers.of': { before: string | number; days: string | number; zone: string | number }
  'numbers.hours': { hours: string | number }
  'numbers.change': { before: string | number; change: string | number }
  'numbers.before': { before: string | number }
  'numbers.hoursSay': { high: string | number; least: string | number; low: string | number }
  'numbers.parts.morning': { day: string | number }
  'numbers.parts.afternoon': { day: string | number }
  'numbers.parts.evening': { day: string | number }
  'numbers.tooFew': { count: string | number }
  'numbers.peopleSay': { name: string | number; share: string | number }
  'numbers.revenueSays': { amount: string | number; best: string | number; most: string | number }
  'numbers.servicesSay': { name: string | number; share: string | number }
  'numbers.clientsSay': { fresh: number; returning: string | number; share: string | number }
  'numbers.noShowsSay': { count: number; share: string | number }
  'numbers.noShowsCost': { amount: string | number; count: number; share: string | number }
  'numbers.feesSay': { charged: string | number; received: string | number }
  'numbers.feesAgainst': { charged: string | number; lost: string | number; received: string | number }
  'numbers.keptSay': { kept: string | number }
  'numbers.keptAgainst': { kept: string | number; lost: string | number }
  'numbers.noShowsBack': { amount: string | number }
  'numbers.leadsSay': { days: number }
  'numbers.busySays': { best: string | number; most: string | number; share: string | number }
  'numbers.gapsSay': { count: number }
  'numbers.gapsBrought': { amount: string | number; count: number }
  'numbers.takenSays': { amount: string | number }
  'numbers.takenAndBack': { amount: string | number; refunded: string | number }
  'developers.limitsOfKey': { hour: string | number; minute: string | number }
  'developers.made': { when: string | number }
  'developers.revokeWhy': { name: string | number }
  'developers.validThrough': { when: string | number }
  'developers.lastUsed': { when: string | number }
  'developers.arrived': { all: string | number; some: string | number }
  'developers.tries': { count: number }
  'developers.attempt': { number: string | number; when: string | number }
  'developers.answer': { status: string | number }
  'developers.took': { milliseconds: string | number }
  'developers.nextTry': { when: string | number }
  'calendars.accounts.of': { name: string | number }
  'calendars.accounts.read': { age: string | number }
  'calendars.accounts.writesTo': { calendar: string | number }
  'calendars.accounts.waiting': { count: number }
  'calendars.accounts.goTo': { provider: string | number }
  'calendars.accounts.grantWhy': { provider: string | number }
  'calendars.accounts.keepsBusyHint': { most: string | number }
  'calendars.accounts.removeWhy': { name: string | number }
  'calendars.accounts.broken': { count: number }
  'calendars.feedsWhat': { most: string | number }
  'calendars.since': { day: string | number }
  'calendars.addressOf': { whose: string | number }
  'calendars.rotateWhy': { whose: string | number }
  'calendars.removeFeedWhy': { whose: string | number }
  'calendars.feedLimit': { most: string | number }
  'calendars.busyWhat': { most: string | number }
  'calendars.fetched': { age: string | number; when: string | number }
  'calendars.status': { status: string | number }
  'calendars.statusGone': { status: string | number }
  'calendars.asked': { origin: string | number }
  'calendars.removeBusyWhy': { name: string | number }
  'calendars.busyLimit': { most: string | number }
  'businesses.today': { count: number }
  'businesses.next': { when: string | number }
  'mails.waits.turnUntil': { when: string | number }
  'mails.waits.retry': { when: string | number }
  'mails.waits.charge': { when: string | number }
  'mails.waits.recipient_limit': { when: string | number }
  'mails.waits.business_limit': { when: string | number }
  'mails.waits.server_limit': { when: string | number }
  'mails.waits.quiet_hours': { when: string | number }
  'mails.waits.deposit': { when: string | number }
  'mails.retryOf': { to: string | number; what: string | number }
  'mails.failed': { count: number; isMore: boolean }
  'ownMail.usual': { from: string | number }
  'ownMail.connected': { from: string | number; host: string | number }
  'ownMail.failed': { host: string | number; when: string | number }
  'ownMail.refused': { reason: string | number }
  'payments.dueCount': { count: number }
  'payments.visit': { others: number; service: string | number }
  'payments.own': { key: string | number }
  'audit.key': { name: string | number }
  'notifications.removeOf': { device: string | number }
}
