/** The day of a Unix time in the person's own time zone; the interface's formatter uses UTC. */
export function formatDay(seconds: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date(seconds * 1000))
}

/** The day in the person's own time zone as `2026-03-31`, which is the Swedish format. */
export function isoDayOf(date: Date): string {
  return new Intl.DateTimeFormat('sv').format(date)
}
