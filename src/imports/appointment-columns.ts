import { searchText } from '../base/search-text.ts'
import { likelyColumns } from '../bookings/client-columns.ts'

/*
 * The columns of a file of appointments, recognised by their headings: those of our own export in each language, and those
 * of common salon programs. Columns of the client are recognised as in a file of clients.
 */

/** The meanings of a column. */
export const appointmentColumns = [
  ...(['start', 'date', 'time', 'end', 'duration', 'service', 'staff', 'location'] as const),
  ...(['full_name', 'first_name', 'last_name', 'email', 'phone'] as const),
  ...(['notes', 'status', 'party_size', 'reference', 'ignore'] as const),
] as const
export type AppointmentColumn = (typeof appointmentColumns)[number]

type OwnColumn = Exclude<
  AppointmentColumn,
  'full_name' | 'first_name' | 'last_name' | 'email' | 'phone' | 'ignore'
>

const headings: Record<OwnColumn, string> = {
  start: `start, starts, starts at, start time, start date, start datetime, begin, from, appointment, appointment time,
    date time, date and time, beginn, von, termin, startzeit, datum und uhrzeit, inicio, comienzo, cita, fecha y hora, début,
    debut, rendez vous, date et heure, inizio, appuntamento, data e ora, aanvang, begintijd, afspraak, datum en tijd,
    początek, wizyta, data i godzina, início, marcação, data e hora, başlangıç, randevu, tarih ve saat, 開始, 開始日時,
    予約日時, البداية, الموعد, موعد`,
  date: `date, day, appointment date, datum, tag, fecha, día, jour, data, giorno, dag, dzień, dia, tarih, gün, 日付, 予約日,
    التاريخ, اليوم`,
  time: `time, hour, appointment time of day, uhrzeit, zeit, hora, heure, ora, orario, tijd, godzina, horário, saat, 時間, 時刻,
    الوقت, الساعة`,
  end: `end, ends, ends at, end time, end date, to, until, ende, bis, endzeit, fin, final, hasta, fine, einde, eindtijd,
    koniec, fim, término, bitiş, 終了, 終了日時, النهاية`,
  duration: `duration, duration minutes, minutes, length, dauer, minuten, duración, minutos, durée, minutes, durata, minuti,
    duur, minuten, czas trwania, minuty, duração, süre, dakika, 所要時間, 分, المدة, دقائق`,
  service: `service, services, leistungen, servicios, prestations, servizi, diensten, usługi, serviços, hizmetler, الخدمات,
    treatment, item, service name, leistung, behandlung, dienstleistung, angebot, servicio,
    tratamiento, prestation, soin, servizio, trattamento, dienst, behandeling, usługa, zabieg, serviço, tratamento, hizmet,
    işlem, サービス, メニュー, 施術, الخدمة, خدمة`,
  staff: `staff, staff member, bei, con, avec, bij, osoba, com, kişi, مع, employee, provider, team member, stylist, therapist, with, host, mitarbeiter, mitarbeiterin,
    mitarbeitende, behandler, personal, empleado, empleada, profesional, employé, employée, collaborateur, praticien,
    dipendente, operatore, collaboratore, medewerker, pracownik, specjalista, funcionário, colaborador, profissional, personel,
    çalışan, uzman, スタッフ, 担当者, 担当, الموظف, الموظفة`,
  location: `location, branch, place, site, standort, filiale, ort, ubicación, sucursal, lieu, établissement, sede, luogo,
    locatie, vestiging, lokalizacja, lokal, placówka, local, localização, konum, şube, 店舗, 場所, الفرع, المكان`,
  status: `status, state, appointment status, zustand, estado, statut, état, stato, toestand, stan, situação, durum, 状態,
    ステータス, الحالة`,
  notes: `booking notes, appointment notes, client note, ご要望`,
  party_size: `people, persons, party size, guests, attendees, personen, anzahl personen, gäste, personas, asistentes, personnes,
    persone, ospiti, liczba osób, osoby, pessoas, kişi sayısı, 人数, الأشخاص, عدد الأشخاص`,
  reference: `id, booking id, appointment id, reference, booking reference, number, confirmation number, buchungsnummer,
    terminnummer, referenz, referencia, référence, numéro, riferimento, numero, referentie, nummer, numer, referência, número,
    numara, referans, 予約番号, 番号, الرقم, المرجع`,
}

const meanings = new Map<string, OwnColumn>(
  Object.entries(headings).flatMap(([meaning, list]) =>
    list.split(',').map((heading) => [plain(heading), meaning as OwnColumn] as const),
  ),
)

/** Returns a heading in plain letters and digits. */
function plain(heading: string): string {
  return searchText(heading).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

const ofClient = new Set<string>(['full_name', 'first_name', 'last_name', 'email', 'phone', 'notes'])

/** Returns the likely meaning of each column. Only the first of two with one meaning counts. */
export function likelyAppointmentColumns(row: readonly string[]): AppointmentColumn[] {
  const own = row.map((heading) => meanings.get(plain(heading)))
  const clients = likelyColumns(row.map((heading, index) => (own[index] ? '' : heading)))
  const found = clients.map((client, index): AppointmentColumn => {
    const meaning = own[index]
    return meaning ?? (ofClient.has(client) ? (client as AppointmentColumn) : 'ignore')
  })
  // without a column of dates, a time is a start
  const isWhole = found.includes('start') || found.includes('date')
  const seen = new Set<AppointmentColumn>()
  return found.map((meaning) => {
    const really = meaning === 'time' && !isWhole ? 'start' : meaning
    const isRepeated = seen.has(really)
    seen.add(really)
    return isRepeated ? 'ignore' : really
  })
}
