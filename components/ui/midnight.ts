/** The local midnight at which a day began, or one so many days before it: days have 23 to 25 hours. */
export function midnight(time: Date, daysBefore = 0): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() - daysBefore)
}
