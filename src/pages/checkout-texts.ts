import type { CheckoutView } from '../payments/checkout.ts'

/** The texts of the page to which a checkout returns, in the words of clients; `{time}` is a placeholder. */
export interface CheckoutTexts {
  titles: Record<CheckoutView['state'], string>
  what: string
  when: string
  confirmed: string
  cancelled: string
  refund: string
  kept: string
  reload: string
  pay: string
  giveUp: string
  back: string
  again: string
  skip: string
  /** The checkout page of the sandbox. `{amount}` is a placeholder. */
  sandbox: {
    title: string
    hint: string
    declined: string
    what: string
    amount: string
    pay: string
    fail: string
    over: string
    show: string
  }
}

export const english: CheckoutTexts = {
  titles: {
    due: 'The deposit has not been paid yet',
    confirmed: 'Your booking is confirmed',
    cancelled: 'This booking is cancelled',
    refunding: 'Your refund is on its way',
    refunded: 'Your payment was refunded',
  },
  what: 'Appointment',
  when: 'Time',
  confirmed: 'Thank you, your deposit has arrived. You can close this page.',
  cancelled: 'Nothing was paid, and the time is free for others.',
  refund:
    'The time was no longer free when the payment arrived, or the booking was cancelled. When you see the money depends on your bank.',
  kept: 'The time is kept for you until {time}. If you have just paid, this page will say so in a moment.',
  reload: 'For that, load it again.',
  pay: 'Pay the deposit',
  giveUp: 'Cancel booking',
  back: 'Back to your booking',
  again: 'Book again',
  skip: 'Skip to the content',
  sandbox: {
    title: 'Pay a deposit (sandbox)',
    hint: 'This is a test: no money moves, and you need no card.',
    declined: 'The payment was declined. Nothing was paid; you can try again.',
    what: 'Deposit for',
    amount: 'Amount',
    pay: 'Pay {amount}',
    fail: 'Let the payment fail',
    over: 'This checkout is over.',
    show: 'See the booking',
  },
}

/** By language of the widget. */
export const checkoutTexts: Partial<Record<string, CheckoutTexts>> = {
  en: english,
  de: {
    titles: {
      due: 'Die Anzahlung ist noch offen',
      confirmed: 'Ihr Termin ist bestätigt',
      cancelled: 'Diese Buchung ist storniert',
      refunding: 'Ihr Geld ist auf dem Weg zurück',
      refunded: 'Ihre Zahlung wurde erstattet',
    },
    what: 'Termin',
    when: 'Zeit',
    confirmed: 'Vielen Dank, Ihre Anzahlung ist eingegangen. Sie können diese Seite schließen.',
    cancelled: 'Es wurde nichts bezahlt, und die Zeit ist wieder frei.',
    refund:
      'Die Zeit war nicht mehr frei, als die Zahlung ankam, oder der Termin wurde abgesagt. Wann Sie das Geld sehen, hängt von Ihrer Bank ab.',
    kept: 'Die Zeit bleibt bis {time} für Sie reserviert. Wenn Sie gerade bezahlt haben, steht es gleich hier.',
    reload: 'Laden Sie die Seite dafür neu.',
    pay: 'Anzahlung bezahlen',
    giveUp: 'Buchung stornieren',
    back: 'Zurück zu Ihrer Buchung',
    again: 'Neu buchen',
    skip: 'Zum Inhalt',
    sandbox: {
      title: 'Anzahlung bezahlen (Test)',
      hint: 'Das ist ein Test: Es fließt kein Geld, und Sie brauchen keine Karte.',
      declined: 'Die Zahlung wurde abgelehnt. Es wurde nichts bezahlt; Sie können es noch einmal versuchen.',
      what: 'Anzahlung für',
      amount: 'Betrag',
      pay: '{amount} bezahlen',
      fail: 'Zahlung scheitern lassen',
      over: 'Diese Zahlung ist abgeschlossen.',
      show: 'Buchung ansehen',
    },
  },
  fr: {
    titles: {
      due: 'L’acompte n’est pas encore payé',
      confirmed: 'Votre rendez-vous est confirmé',
      cancelled: 'Cette réservation est annulée',
      refunding: 'Votre remboursement est en route',
      refunded: 'Votre paiement a été remboursé',
    },
    what: 'Rendez-vous',
    when: 'Date',
    confirmed: 'Merci, votre acompte est arrivé. Vous pouvez fermer cette page.',
    cancelled: 'Rien n’a été payé et l’horaire est de nouveau libre.',
    refund:
      'L’horaire n’était plus libre à l’arrivée du paiement, ou le rendez-vous a été annulé. Le délai de remboursement dépend de votre banque.',
    kept: 'L’horaire vous est gardé jusqu’au {time}. Si vous venez de payer, cette page le dira dans un instant.',
    reload: 'Pour cela, rechargez-la.',
    pay: 'Payer l’acompte',
    giveUp: 'Annuler la réservation',
    back: 'Retour à votre réservation',
    again: 'Réserver à nouveau',
    skip: 'Aller au contenu',
    sandbox: {
      title: 'Payer un acompte (test)',
      hint: 'Ceci est un test : aucun argent ne circule et aucune carte n’est nécessaire.',
      declined: 'Le paiement a été refusé. Rien n’a été payé ; vous pouvez réessayer.',
      what: 'Acompte pour',
      amount: 'Montant',
      pay: 'Payer {amount}',
      fail: 'Faire échouer le paiement',
      over: 'Ce paiement est terminé.',
      show: 'Voir la réservation',
    },
  },
  es: {
    titles: {
      due: 'La señal todavía no está pagada',
      confirmed: 'Su cita está confirmada',
      cancelled: 'Esta reserva está cancelada',
      refunding: 'Su reembolso está en camino',
      refunded: 'Su pago fue reembolsado',
    },
    what: 'Cita',
    when: 'Fecha',
    confirmed: 'Gracias, hemos recibido su señal. Puede cerrar esta página.',
    cancelled: 'No se pagó nada y la hora vuelve a estar libre.',
    refund:
      'La hora ya no estaba libre cuando llegó el pago, o la cita se canceló. Cuándo verá el dinero depende de su banco.',
    kept: 'La hora queda reservada para usted hasta el {time}. Si acaba de pagar, esta página lo dirá enseguida.',
    reload: 'Para ello, vuelva a cargarla.',
    pay: 'Pagar la señal',
    giveUp: 'Cancelar la reserva',
    back: 'Volver a su reserva',
    again: 'Reservar de nuevo',
    skip: 'Ir al contenido',
    sandbox: {
      title: 'Pagar una señal (prueba)',
      hint: 'Esto es una prueba: no se mueve dinero y no necesita tarjeta.',
      declined: 'El pago fue rechazado. No se pagó nada; puede intentarlo de nuevo.',
      what: 'Señal de',
      amount: 'Importe',
      pay: 'Pagar {amount}',
      fail: 'Hacer que el pago falle',
      over: 'Este pago ha terminado.',
      show: 'Ver la reserva',
    },
  },
  ar: {
    titles: {
      due: 'لم تُدفع الدفعة المقدمة بعد',
      confirmed: 'تم تأكيد موعدك',
      cancelled: 'أُلغي هذا الحجز',
      refunding: 'مبلغك في طريقه إليك',
      refunded: 'أُعيد إليك المبلغ',
    },
    what: 'الموعد',
    when: 'الوقت',
    confirmed: 'شكرًا، وصلت دفعتك المقدمة. يمكنك إغلاق هذه الصفحة.',
    cancelled: 'لم يُدفع شيء، وأصبح الوقت متاحًا من جديد.',
    refund: 'لم يعد الوقت متاحًا عند وصول الدفعة، أو أُلغي الموعد. موعد وصول المبلغ يعتمد على مصرفك.',
    kept: 'الوقت محجوز لك حتى {time}. إذا كنت قد دفعت للتو، فستعرض هذه الصفحة ذلك بعد لحظات.',
    reload: 'لذلك أعد تحميلها.',
    pay: 'دفع الدفعة المقدمة',
    giveUp: 'إلغاء الحجز',
    back: 'العودة إلى حجزك',
    again: 'الحجز من جديد',
    skip: 'انتقل إلى المحتوى',
    sandbox: {
      title: 'دفع دفعة مقدمة (تجربة)',
      hint: 'هذه تجربة: لا تُنقل أي أموال ولا تحتاج إلى بطاقة.',
      declined: 'رُفضت عملية الدفع. لم يُدفع شيء، ويمكنك المحاولة مرة أخرى.',
      what: 'دفعة مقدمة عن',
      amount: 'المبلغ',
      pay: 'دفع {amount}',
      fail: 'جعل الدفع يفشل',
      over: 'انتهت عملية الدفع هذه.',
      show: 'عرض الحجز',
    },
  },
  pl: {
    titles: {
      due: 'Zaliczka nie została jeszcze wpłacona',
      confirmed: 'Wizyta jest potwierdzona',
      cancelled: 'Ta rezerwacja jest anulowana',
      refunding: 'Zwrot pieniędzy jest w drodze',
      refunded: 'Płatność została zwrócona',
    },
    what: 'Wizyta',
    when: 'Termin',
    confirmed: 'Dziękujemy, zaliczka dotarła. Można zamknąć tę stronę.',
    cancelled: 'Nic nie zostało zapłacone, a termin jest znów wolny.',
    refund:
      'Gdy dotarła płatność, termin nie był już wolny albo wizyta została odwołana. To, kiedy pieniądze będą widoczne, zależy od banku.',
    kept: 'Termin czeka na zaliczkę do: {time}. Jeśli płatność została właśnie wykonana, za chwilę pojawi się tu potwierdzenie.',
    reload: 'W tym celu trzeba odświeżyć stronę.',
    pay: 'Wpłać zaliczkę',
    giveUp: 'Anuluj rezerwację',
    back: 'Wróć do rezerwacji',
    again: 'Zarezerwuj ponownie',
    skip: 'Przejdź do treści',
    sandbox: {
      title: 'Wpłata zaliczki (test)',
      hint: 'To jest test: żadne pieniądze nie są przekazywane i karta nie jest potrzebna.',
      declined: 'Płatność została odrzucona. Nic nie zostało zapłacone; można spróbować ponownie.',
      what: 'Zaliczka za',
      amount: 'Kwota',
      pay: 'Zapłać {amount}',
      fail: 'Odrzuć płatność',
      over: 'Ta płatność jest zakończona.',
      show: 'Zobacz rezerwację',
    },
  },
  it: {
    titles: {
      due: 'L’acconto non è ancora stato pagato',
      confirmed: 'L’appuntamento è confermato',
      cancelled: 'Questa prenotazione è annullata',
      refunding: 'Il rimborso è in arrivo',
      refunded: 'Il pagamento è stato rimborsato',
    },
    what: 'Appuntamento',
    when: 'Data e ora',
    confirmed: 'Grazie, l’acconto è arrivato. Ora è possibile chiudere questa pagina.',
    cancelled: 'Non è stato pagato nulla e l’orario è di nuovo libero.',
    refund:
      'All’arrivo del pagamento l’orario non era più libero, oppure l’appuntamento è stato annullato. I tempi di accredito dipendono dalla banca.',
    kept: 'L’orario è riservato fino a {time}. Se il pagamento è appena stato effettuato, questa pagina lo confermerà tra un attimo.',
    reload: 'Per vederlo, ricaricare la pagina.',
    pay: 'Paga l’acconto',
    giveUp: 'Annulla la prenotazione',
    back: 'Torna alla prenotazione',
    again: 'Prenota di nuovo',
    skip: 'Vai al contenuto',
    sandbox: {
      title: 'Paga un acconto (prova)',
      hint: 'Questa è una prova: nessun denaro viene trasferito e non serve una carta.',
      declined: 'Il pagamento è stato rifiutato. Non è stato pagato nulla; è possibile riprovare.',
      what: 'Acconto per',
      amount: 'Importo',
      pay: 'Paga {amount}',
      fail: 'Fai fallire il pagamento',
      over: 'Questo pagamento è concluso.',
      show: 'Vedi la prenotazione',
    },
  },
  pt: {
    titles: {
      due: 'O sinal ainda não foi pago',
      confirmed: 'A sua reserva está confirmada',
      cancelled: 'Esta reserva está cancelada',
      refunding: 'O seu reembolso está a caminho',
      refunded: 'O seu pagamento foi reembolsado',
    },
    what: 'Reserva',
    when: 'Data e hora',
    confirmed: 'Agradecemos, recebemos o seu sinal. Pode fechar esta página.',
    cancelled: 'Nada foi pago e o horário está novamente livre.',
    refund:
      'O horário já não estava livre quando o pagamento chegou, ou a reserva foi cancelada. O prazo do reembolso depende do seu banco.',
    kept: 'O horário está guardado até {time}. Se acabou de pagar, esta página confirmará dentro de instantes.',
    reload: 'Para isso, carregue novamente a página.',
    pay: 'Pagar o sinal',
    giveUp: 'Cancelar a reserva',
    back: 'Voltar à sua reserva',
    again: 'Reservar novamente',
    skip: 'Ir para o conteúdo',
    sandbox: {
      title: 'Pagar um sinal (teste)',
      hint: 'Isto é um teste: nenhum dinheiro é movimentado e não precisa de cartão.',
      declined: 'O pagamento foi recusado. Nada foi pago; pode tentar novamente.',
      what: 'Sinal para',
      amount: 'Montante',
      pay: 'Pagar {amount}',
      fail: 'Fazer falhar o pagamento',
      over: 'Este pagamento terminou.',
      show: 'Ver a reserva',
    },
  },
  nl: {
    titles: {
      due: 'De aanbetaling is nog niet gedaan',
      confirmed: 'Je afspraak is bevestigd',
      cancelled: 'Deze boeking is geannuleerd',
      refunding: 'Je geld is onderweg terug',
      refunded: 'Je betaling is terugbetaald',
    },
    what: 'Afspraak',
    when: 'Tijd',
    confirmed: 'Bedankt, je aanbetaling is binnen. Je kunt deze pagina sluiten.',
    cancelled: 'Er is niets betaald en de tijd is weer vrij.',
    refund:
      'De tijd was niet meer vrij toen de betaling binnenkwam, of de afspraak is geannuleerd. Wanneer je het geld ziet, hangt af van je bank.',
    kept: 'De tijd wordt tot {time} voor je vastgehouden. Heb je net betaald, dan staat dat hier zo.',
    reload: 'Laad daarvoor de pagina opnieuw.',
    pay: 'Aanbetaling doen',
    giveUp: 'Boeking annuleren',
    back: 'Terug naar je boeking',
    again: 'Opnieuw boeken',
    skip: 'Naar de inhoud',
    sandbox: {
      title: 'Een aanbetaling doen (test)',
      hint: 'Dit is een test: er gaat geen geld om en je hebt geen kaart nodig.',
      declined: 'De betaling is geweigerd. Er is niets betaald; je kunt het opnieuw proberen.',
      what: 'Aanbetaling voor',
      amount: 'Bedrag',
      pay: '{amount} betalen',
      fail: 'Laat de betaling mislukken',
      over: 'Deze betaling is afgerond.',
      show: 'Bekijk de boeking',
    },
  },
  tr: {
    titles: {
      due: 'Ön ödeme henüz yapılmadı',
      confirmed: 'Randevunuz onaylandı',
      cancelled: 'Bu randevu iptal edildi',
      refunding: 'İadeniz yolda',
      refunded: 'Ödemeniz iade edildi',
    },
    what: 'Randevu',
    when: 'Zaman',
    confirmed: 'Teşekkürler, ön ödemeniz ulaştı. Bu sayfayı kapatabilirsiniz.',
    cancelled: 'Ödeme yapılmadı ve saat yeniden boş.',
    refund:
      'Ödeme ulaştığında saat artık boş değildi veya randevu iptal edilmişti. Paranın ne zaman hesabınıza geçeceği bankanıza bağlıdır.',
    kept: 'Saat şu zamana kadar sizin için ayrıldı: {time}. Az önce ödeme yaptıysanız bu sayfada birazdan görünür.',
    reload: 'Bunun için sayfayı yenileyin.',
    pay: 'Ön ödemeyi yap',
    giveUp: 'Randevuyu iptal et',
    back: 'Randevunuza dönün',
    again: 'Yeniden randevu al',
    skip: 'İçeriğe geç',
    sandbox: {
      title: 'Ön ödeme yap (deneme)',
      hint: 'Bu bir denemedir: para hareketi olmaz ve kart gerekmez.',
      declined: 'Ödeme reddedildi. Hiçbir şey ödenmedi; yeniden deneyebilirsiniz.',
      what: 'Ön ödeme',
      amount: 'Tutar',
      pay: '{amount} öde',
      fail: 'Ödemeyi başarısız yap',
      over: 'Bu ödeme sona erdi.',
      show: 'Randevuyu gör',
    },
  },
  ja: {
    titles: {
      due: '予約金はまだお支払いいただいていません',
      confirmed: 'ご予約が確定しました',
      cancelled: 'このご予約はキャンセルされました',
      refunding: '返金手続き中です',
      refunded: 'お支払いは返金されました',
    },
    what: 'ご予約',
    when: '日時',
    confirmed: 'ありがとうございます。予約金のお支払いを確認しました。このページを閉じていただけます。',
    cancelled: 'お支払いはなく、この時間は再び空きになりました。',
    refund:
      'お支払いの確認時にはこの時間が空いていなかったか、ご予約がキャンセルされていました。返金が反映される時期は、お客様の金融機関によって異なります。',
    kept: 'この時間は{time}まで確保されています。お支払いがお済みの場合は、まもなくこのページに表示されます。',
    reload: '確認するには、ページを再読み込みしてください。',
    pay: '予約金を支払う',
    giveUp: '予約をキャンセルする',
    back: '予約に戻る',
    again: 'もう一度予約する',
    skip: '本文へ移動',
    sandbox: {
      title: '予約金のお支払い（テスト）',
      hint: 'これはテストです。お金は動かず、カードも必要ありません。',
      declined: 'お支払いは承認されませんでした。請求はありません。もう一度お試しください。',
      what: '予約金の対象',
      amount: '金額',
      pay: '{amount}を支払う',
      fail: '支払いを失敗させる',
      over: 'このお支払い手続きは終了しました。',
      show: '予約を見る',
    },
  },
}
