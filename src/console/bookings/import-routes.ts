import type { FastifyInstance, FastifyReply } from 'fastify'
import { UnreadableClients } from '../../bookings/client-import.ts'
import type { Context } from '../../bookings/context.ts'
import type { MultipartForm } from '../../http/multipart.ts'
import { readAppointmentFile } from '../../imports/appointment-file.ts'
import { importAppointments } from '../../imports/appointment-import.ts'
import { dateOrders } from '../../imports/appointment-times.ts'
import { sendConsolePage } from '../frame/console-page.ts'
import type { BusinessVisit, ConsoleRoute, ShownPage } from '../frame/console-route.ts'
import { columnsIn, importedText, importForm, importRole } from '../frame/import-form.ts'
import {
  bookingFilePage,
  bookingImportPath,
  bookingPlanPage,
  bookingsImportedPage,
  plannedBookings,
} from './import-page.ts'

/* The import of appointments from CSV. */

/** The page with the form for a file. */
export function bookingImportPageRoute(): ConsoleRoute {
  return {
    path: bookingImportPath,
    name: 'BookingImportPage',
    summary: 'The form for a file of appointments',
    role: importRole,
    show: async (visit) => bookingFilePage(visit),
  }
}

/** Registers the form of an import. */
export function bookingImportRoutes(app: FastifyInstance, context: Context): void {
  importForm(app, context, {
    path: bookingImportPath,
    operationId: 'useBookingImportPage',
    summary: 'Plan and run an import of appointments',
    answer,
  })
}

async function answer(
  context: Context,
  visit: BusinessVisit,
  form: MultipartForm,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { fields } = form
  const send = (shown: ShownPage, status = 200) => sendConsolePage(reply.code(status), { visit, ...shown })
  const order = dateOrders.find((one) => one === fields['date_order'])
  const { isGone } = visit
  try {
    const text = importedText(form)
    const file = await readAppointmentFile(text, { columns: columnsIn(fields), order, isGone })
    const apply = fields['do'] === 'import' && fields['planned'] === plannedBookings(file)
    const input = { business_id: visit.business.id, file, apply, isGone }
    const report = await importAppointments(context, visit.person, input)
    return await send(
      apply ? bookingsImportedPage(visit, report) : bookingPlanPage(visit, { text, file, report }),
    )
  } catch (error) {
    if (error instanceof UnreadableClients) return send(bookingFilePage(visit, error), 422)
    throw error
  }
}
