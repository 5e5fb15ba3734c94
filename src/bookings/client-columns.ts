import { languageNames } from '../base/languages.ts'
import { searchText } from '../base/search-text.ts'
import { localeNamed } from '../catalogue/mail-settings-rules.ts'

/*
 * The columns of a file of clients, recognised by their headings: those of our own export in each language, and those of
 * Fresha, Square, Treatwell, Phorest, Google Contacts and Outlook.
 */

/** The meanings of a column. `note` adds its heading and text to the notes. */
export const clientColumns = [
  ...(['first_name', 'last_name', 'full_name', 'email', 'phone', 'notes'] as const),
  ...(['tags', 'locale', 'time_zone', 'note', 'ignore'] as const),
] as const
export type ClientColumn = (typeof clientColumns)[number]

const headings: Record<Exclude<ClientColumn, 'note' | 'ignore'>, string> = {
  first_name: `first name, firstname, forename, given name, vorname, nombre, prénom, nome, nome próprio, voornaam, imię,
    ad, adı, isim, 名, 下の名前, الاسم الأول, الاسم`,
  last_name: `last name, lastname, surname, family name, nachname, familienname, apellidos, apellido, nom, nom de famille,
    cognome, apelido, sobrenome, achternaam, nazwisko, soyad, soyadı, 姓, اسم العائلة, الكنية, لقب, اللقب`,
  full_name: `name, full name, client, client name, customer, customer name, display name, kunde, kundenname,
    vollständiger name, kundin, nombre completo, cliente, nom complet, nom et prénom, nome completo, nome e cognome,
    volledige naam, naam, klant, imię i nazwisko, klient, ad soyad, adı soyadı, müşteri, 氏名, 名前, お客様名, الاسم الكامل,
    العميل`,
  email: `email, e-mail, email address, e-mail address, e-mail-adresse, mail, mailadresse, correo, correo electrónico,
    adresse e-mail, adresse mail, courriel, indirizzo email, indirizzo e-mail, posta elettronica, endereço de e-mail,
    e-mailadres, adres e-mail, eposta, e-posta, e-posta adresi, メール, メールアドレス, البريد الإلكتروني, بريد إلكتروني,
    email 1 value, email address 1`,
  phone: `phone, phone number, telephone, telephone number, mobile, mobile number, mobile phone, cell, cell phone,
    cellphone, contact number, telefon, telefonnummer, handy, handynummer, mobil, mobiltelefon, teléfono, móvil, celular,
    téléphone, portable, mobile phone number, telefono, cellulare, telefone, telemóvel, telefoonnummer, telefoon, mobiel,
    telefon komórkowy, numer telefonu, komórka, cep telefonu, cep, telefon numarası, 電話, 電話番号, 携帯電話, الهاتف, الجوال,
    رقم الهاتف, phone 1 value, primary phone, home phone, tel, tel nr, tel mobil, telefon mobil, telefonnr, telefon 1,
    telefon privat, tel privat, mobil tel, mobilnr, mobilnummer, mobilfunk, handynr, tel handy, festnetz, tél, tél mobile,
    tél portable, téléphone mobile, téléphone portable, numéro de téléphone, tel móvil, teléfono móvil, número de teléfono,
    tel cellulare, telefono cellulare, numero di telefono, número de telefone, telefone móvel, mobiele telefoon,
    mobiel nummer, gsm, tel komórkowy, nr telefonu, numer komórki, cep tel, gsm no`,
  notes: `notes, note, comments, comment, client notes, customer notes, remarks, memo, notizen, notiz, bemerkungen,
    bemerkung, anmerkung, anmerkungen, hinweis, hinweise, kundennotiz, notas, nota, comentarios, remarques, remarque, commentaires, observações, opmerkingen,
    notities, notitie, notatki, notatka, uwagi, notlar, not, メモ, 備考, ملاحظات, ملاحظة`,
  tags: `tags, tag, labels, label, groups, group, group membership, categories, schlagwörter, schlagworte, gruppen,
    etiquetas, étiquettes, etichette, gruppi, labels, etykiety, grupy, etiketler, タグ, ラベル, وسوم, الوسوم`,
  locale: `language, preferred language, locale, sprache, idioma, langue, lingua, língua, taal, język, dil, 言語, اللغة`,
  time_zone: `time zone, timezone, zeitzone, zona horaria, fuseau horaire, fuso orario, fuso horário, tijdzone,
    strefa czasowa, saat dilimi, タイムゾーン, المنطقة الزمنية`,
}

const meanings = new Map<string, ClientColumn>(
  Object.entries(headings).flatMap(([meaning, list]) =>
    list.split(',').map((heading) => [plain(heading), meaning as ClientColumn] as const),
  ),
)

/** Returns a heading in plain letters and digits. */
function plain(heading: string): string {
  return searchText(heading).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Returns the likely meaning of each column. Only the first of two columns with a name, email address or notes counts. */
export function likelyColumns(row: readonly string[]): ClientColumn[] {
  const known = row.map((heading) => meanings.get(plain(heading)) ?? 'ignore')
  // next to a first name without a last name, "Name" is the last name
  const isLastName = (heading = '') =>
    plain(heading) === 'name' && known.includes('first_name') && !known.includes('last_name')
  const found = known.map((meaning, index) => (isLastName(row[index]) ? 'last_name' : meaning))
  const hasParts = found.includes('first_name')
  const seen = new Set<ClientColumn>()
  return found.map((meaning) => {
    const isRepeated = seen.has(meaning) && meaning !== 'phone' && meaning !== 'tags'
    seen.add(meaning)
    return isRepeated || (meaning === 'full_name' && hasParts) ? 'ignore' : meaning
  })
}

/** The columns that the plan names in a problem; undefined for a problem of the whole row. */
export type ImportedField = Exclude<ClientColumn, 'full_name' | 'note' | 'ignore'>

/** Returns the members of a client that a row has. Empty cells give none. */
export function readRow(
  cells: readonly string[],
  columns: readonly ClientColumn[],
  head: readonly string[],
): Partial<Record<Exclude<ImportedField, 'tags'>, string>> & { tags?: string[] } {
  const of = (meaning: ClientColumn) =>
    columns.flatMap((one, index) => {
      const cell = cells[index] ?? ''
      return one === meaning && cell !== '' ? [{ cell, heading: head[index] ?? '' }] : []
    })
  const first = (meaning: ClientColumn) => of(meaning)[0]?.cell
  const notes = [
    ...of('notes').map(({ cell }) => cell),
    ...of('note').map(({ cell, heading }) => `${heading}: ${cell}`),
  ].join('\n')
  const tags = [...new Set(of('tags').flatMap(({ cell }) => readTags(cell)))]
  const phone = first('phone')
  const locale = first('locale')
  const members = {
    ...nameParts(first('first_name'), first('last_name'), first('full_name')),
    email: first('email'),
    phone: phone && typedPhone(phone),
    notes: notes || undefined,
    tags: tags.length > 0 ? tags : undefined,
    locale: locale && (languageCode(locale) ?? locale),
    time_zone: first('time_zone'),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Divides a full name before its last word, or at its comma. A last name alone serves as the first name. */
function nameParts(first: string | undefined, last: string | undefined, full: string | undefined) {
  if (first !== undefined) return { first_name: first, last_name: last }
  if (last !== undefined && full === undefined) return { first_name: last }
  const [family, given, ...more] = (full ?? '').split(/\s*,\s*/)
  if (given && family && more.length === 0) return { first_name: given, last_name: family }
  const words = (full ?? '').split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return {}
  return words.length === 1
    ? { first_name: words[0] }
    : { first_name: words.slice(0, -1).join(' '), last_name: words.at(-1) }
}

/** Other programs also write slashes and invisible marks of direction. */
function typedPhone(phone: string): string {
  return phone
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[/\u00a0]/g, ' ')
    .trim()
}

const tagPattern = /"((?:[^"]|"")*)"|[^",;|\n]+/g

/** Returns the tags of a cell: separated by commas, semicolons, bars, line breaks or the `:::` of Google. */
function readTags(cell: string): string[] {
  return [...cell.matchAll(tagPattern)]
    .flatMap(([text, quoted]) =>
      quoted === undefined
        ? text.split(':::').filter((tag) => !tag.trim().startsWith('* ')) // groups that every contact has
        : quoted.replaceAll('""', '"'),
    )
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

/** Returns the cell of some tags. Those with a separator are in quotation marks. */
export function tagCell(tags: readonly string[]): string {
  return tags
    .map((tag) => (/[",;|\n]|:::|^\* /.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag))
    .join(', ')
}

let codes: Map<string, string> | undefined

/** Returns the language tag for a language's name in one of our languages, or for a tag. */
function languageCode(text: string): string | undefined {
  codes ??= new Map(
    languageNames.flatMap((inside) => {
      const names = new Intl.DisplayNames(inside, { type: 'language' })
      return languageNames.map((code) => [searchText(names.of(code) ?? code), code] as const)
    }),
  )
  return codes.get(searchText(text)) ?? localeNamed(text.replaceAll('_', '-'))
}
