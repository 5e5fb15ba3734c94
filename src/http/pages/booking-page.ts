import { html, type Html } from './page.ts'

/** What the page says of a business. */
export interface PageBusiness {
  name: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
}

interface PageTexts {
  title: (name: string) => string
  description: (name: string) => string
  withoutScripts: string
}

const english: PageTexts = {
  title: (name) => `Book with ${name}`,
  description: (name) => `Choose a time that suits you and book your appointment with ${name} in a minute.`,
  withoutScripts: 'Booking needs JavaScript. Please switch it on, or get in touch with us directly.',
}

/** The languages of the widget. */
const languages: Partial<Record<string, PageTexts>> = {
  en: english,
  de: {
    title: (name) => `Termin buchen – ${name}`,
    description: (name) =>
      `Suchen Sie sich eine Zeit aus und buchen Sie Ihren Termin bei ${name} in einer Minute.`,
    withoutScripts:
      'Zum Buchen wird JavaScript gebraucht. Bitte schalten Sie es ein, oder melden Sie sich bei uns.',
  },
  fr: {
    title: (name) => `Prendre rendez-vous – ${name}`,
    description: (name) => `Choisissez l’horaire qui vous convient et réservez chez ${name} en une minute.`,
    withoutScripts: 'La réservation a besoin de JavaScript. Activez-le ou contactez-nous directement.',
  },
  es: {
    title: (name) => `Reservar una cita – ${name}`,
    description: (name) => `Elija la hora que le convenga y reserve su cita con ${name} en un minuto.`,
    withoutScripts: 'Para reservar hace falta JavaScript. Actívelo o póngase en contacto con nosotros.',
  },
  ar: {
    title: (name) => `حجز موعد – ${name}`,
    description: (name) => `اختر الوقت المناسب لك واحجز موعدك لدى ${name} في دقيقة واحدة.`,
    withoutScripts: 'يحتاج الحجز إلى JavaScript. يُرجى تفعيله أو التواصل معنا مباشرة.',
  },
}

/** The first language of `Accept-Language` that there is; its weights are left aside, as browsers sort by them. */
export function pageLanguage(acceptLanguage: string | undefined): string {
  const wanted = (acceptLanguage ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase())
  return wanted.find((language) => languages[language]) ?? 'en'
}

interface BookingPage {
  business: PageBusiness
  publishableKey: string
  language: string
  /** The address of this server as clients know it, such as https://book.example.com. */
  server: string
}

/** The page on which anybody can book with a business, for a link in an e-mail or a profile. */
export function bookingPage({ business, publishableKey, language, server }: BookingPage): Html {
  const name = business.brand_name ?? business.name
  const texts = languages[language] ?? english
  const address = `${server}/book/${publishableKey}`
  const logo = business.brand_logo_url
  return html`<!doctype html>
    <html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
      <head>
        <meta charset="utf-8" />
        <title>${texts.title(name)}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content="${texts.description(name)}" />
        <meta name="color-scheme" content="light dark" />
        ${business.brand_color ? html`<meta name="theme-color" content="${business.brand_color}" />` : html``}
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content="${name}" />
        <meta property="og:title" content="${texts.title(name)}" />
        <meta property="og:description" content="${texts.description(name)}" />
        <meta property="og:url" content="${address}" />
        <meta property="og:image" content="${logo ?? `${server}/docs/booking-card.png`}" />
        <meta name="twitter:card" content="${logo ? 'summary' : 'summary_large_image'}" />
        <link rel="canonical" href="${address}" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/booking-page.css" />
        <script type="module" src="/widget/v1.js"></script>
      </head>
      <body>
        <main>
          <h1><bdi>${name}</bdi></h1>
          <holdfast-booking publishable-key="${publishableKey}"></holdfast-booking>
          <noscript><p class="message">${texts.withoutScripts}</p></noscript>
        </main>
      </body>
    </html> `
}

/** For a link that leads nowhere: whoever follows it did nothing wrong. */
export function noBookingPage(): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>This booking page does not exist</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/booking-page.css" />
      </head>
      <body>
        <main>
          <h1>This booking page does not exist</h1>
          <p class="message">
            The link may be cut off or no longer valid. Please ask the business that you want to book with for
            a new one.
          </p>
        </main>
      </body>
    </html> `
}
