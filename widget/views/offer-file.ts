/** Downloads the file. */
export function offerCalendarFile(text: string): void {
  const file = URL.createObjectURL(new Blob([text], { type: 'text/calendar;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = file
  link.download = 'appointment.ics'
  link.click()
  setTimeout(() => URL.revokeObjectURL(file), 60_000) // some browsers read it late
}
