/** The texts of the booking page, in the words of clients; names are those of the business. */
interface BookingPageTexts {
  title: (name: string) => string
  description: (name: string) => string
  withoutScripts: string
  /** Where there is no page. It must not blame the visitor. */
  missing: string
  missingHint: string
  /** Where the business does not offer the service. */
  notOffered: string
  seeAll: (name: string) => string
}

export const english: BookingPageTexts = {
  title: (name) => `Book with ${name}`,
  description: (name) => `Choose a time that suits you and book your appointment with ${name} in a minute.`,
  withoutScripts: 'Booking needs JavaScript. Please switch it on, or get in touch with us directly.',
  missing: 'This booking page does not exist',
  missingHint:
    'The link may be cut off or no longer valid. Please ask the business that you want to book with for a new one.',
  notOffered: 'This cannot be booked any more',
  seeAll: (name) => `See what you can book with ${name}`,
}

/** By language of the widget. */
export const bookingPageTexts: Partial<Record<string, BookingPageTexts>> = {
  en: english,
  de: {
    title: (name) => `Termin buchen – ${name}`,
    description: (name) =>
      `Suchen Sie sich eine Zeit aus und buchen Sie Ihren Termin bei ${name} in einer Minute.`,
    withoutScripts:
      'Zum Buchen wird JavaScript gebraucht. Bitte schalten Sie es ein, oder melden Sie sich bei uns.',
    missing: 'Diese Buchungsseite gibt es nicht',
    missingHint:
      'Der Link ist vielleicht abgeschnitten oder gilt nicht mehr. Bitte fragen Sie den Betrieb, bei dem Sie buchen möchten, nach einem neuen.',
    notOffered: 'Das kann nicht mehr gebucht werden',
    seeAll: (name) => `Sehen, was Sie bei ${name} buchen können`,
  },
  fr: {
    title: (name) => `Prendre rendez-vous – ${name}`,
    description: (name) => `Choisissez l’horaire qui vous convient et réservez chez ${name} en une minute.`,
    withoutScripts: 'La réservation a besoin de JavaScript. Activez-le ou contactez-nous directement.',
    missing: 'Cette page de réservation n’existe pas',
    missingHint:
      'Le lien est peut-être incomplet ou n’est plus valable. Demandez-en un nouveau à l’établissement où vous souhaitez réserver.',
    notOffered: 'Cette prestation ne peut plus être réservée',
    seeAll: (name) => `Voir ce que vous pouvez réserver chez ${name}`,
  },
  es: {
    title: (name) => `Reservar una cita – ${name}`,
    description: (name) => `Elija la hora que le convenga y reserve su cita con ${name} en un minuto.`,
    withoutScripts: 'Para reservar hace falta JavaScript. Actívelo o póngase en contacto con nosotros.',
    missing: 'Esta página de reservas no existe',
    missingHint:
      'Puede que el enlace esté incompleto o ya no sea válido. Pida uno nuevo al negocio en el que quiere reservar.',
    notOffered: 'Esto ya no se puede reservar',
    seeAll: (name) => `Ver qué puede reservar con ${name}`,
  },
  ar: {
    title: (name) => `حجز موعد – ${name}`,
    description: (name) => `اختر الوقت المناسب لك واحجز موعدك لدى ${name} في دقيقة واحدة.`,
    withoutScripts: 'يحتاج الحجز إلى JavaScript. يُرجى تفعيله أو التواصل معنا مباشرة.',
    missing: 'صفحة الحجز هذه غير موجودة',
    missingHint:
      'ربما كان الرابط ناقصًا أو لم يعد صالحًا. يُرجى أن تطلب رابطًا جديدًا من الجهة التي تريد الحجز لديها.',
    notOffered: 'لم يعد حجز هذه الخدمة ممكنًا',
    seeAll: (name) => `عرض ما يمكنك حجزه لدى ${name}`,
  },
  pl: {
    title: (name) => `Zarezerwuj wizytę – ${name}`,
    description: (name) => `${name}: dogodny termin i rezerwacja wizyty w minutę.`,
    withoutScripts: 'Rezerwacja wymaga JavaScriptu. Prosimy go włączyć lub skontaktować się z nami.',
    missing: 'Tej strony rezerwacji nie ma',
    missingHint:
      'Link może być ucięty lub już nieważny. O nowy link prosimy zapytać firmę, w której ma się odbyć wizyta.',
    notOffered: 'Tego nie można już zarezerwować',
    seeAll: (name) => `Zobacz, co można zarezerwować: ${name}`,
  },
  it: {
    title: (name) => `Prenota un appuntamento – ${name}`,
    description: (name) => `${name}: l’orario più comodo, prenotato in un minuto.`,
    withoutScripts: 'Per prenotare serve JavaScript. Si prega di attivarlo o di contattarci direttamente.',
    missing: 'Questa pagina di prenotazione non esiste',
    missingHint:
      'Il link potrebbe essere incompleto o non più valido. Si prega di chiederne uno nuovo all’attività presso cui si desidera prenotare.',
    notOffered: 'Questo non è più prenotabile',
    seeAll: (name) => `Vedi che cosa si può prenotare da ${name}`,
  },
  pt: {
    title: (name) => `Reservar um horário – ${name}`,
    description: (name) => `${name}: escolha o horário que lhe convém e reserve num minuto.`,
    withoutScripts: 'Para reservar é preciso JavaScript. Ative-o, por favor, ou ligue-nos.',
    missing: 'Esta página de reservas não existe',
    missingHint:
      'O link pode estar incompleto ou já não ser válido. Peça um novo à empresa onde deseja reservar.',
    notOffered: 'Isto já não pode ser reservado',
    seeAll: (name) => `Ver o que pode reservar com ${name}`,
  },
  nl: {
    title: (name) => `Afspraak maken – ${name}`,
    description: (name) => `Kies een tijd die je uitkomt en boek je afspraak bij ${name} in een minuut.`,
    withoutScripts: 'Om te boeken is JavaScript nodig. Zet het aan of neem contact met ons op.',
    missing: 'Deze boekingspagina bestaat niet',
    missingHint:
      'De link is misschien afgebroken of niet meer geldig. Vraag het bedrijf waar je wilt boeken om een nieuwe.',
    notOffered: 'Dit kan niet meer worden geboekt',
    seeAll: (name) => `Bekijk wat je bij ${name} kunt boeken`,
  },
  tr: {
    title: (name) => `Randevu al – ${name}`,
    description: (name) => `${name}: size uyan saati seçin ve bir dakikada randevu alın.`,
    withoutScripts: 'Randevu almak için JavaScript gereklidir. Lütfen açın veya bizimle iletişime geçin.',
    missing: 'Bu randevu sayfası yok',
    missingHint:
      'Bağlantı eksik olabilir veya artık geçerli olmayabilir. Lütfen randevu almak istediğiniz işletmeden yenisini isteyin.',
    notOffered: 'Bu hizmet için artık randevu alınamıyor',
    seeAll: (name) => `${name} için tüm randevu seçeneklerini gör`,
  },
  ja: {
    title: (name) => `ご予約 – ${name}`,
    description: (name) => `${name}のご予約はこちらから。ご都合のよい時間を選ぶだけで、1分で完了します。`,
    withoutScripts: 'ご予約にはJavaScriptが必要です。有効にするか、直接お問い合わせください。',
    missing: 'この予約ページは存在しません',
    missingHint:
      'リンクが途中で切れているか、無効になっている可能性があります。ご予約先に新しいリンクをお問い合わせください。',
    notOffered: 'こちらはご予約いただけなくなりました',
    seeAll: (name) => `${name}のメニューを見る`,
  },
}
