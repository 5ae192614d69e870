/** A day of unix seconds, where the person is; the interface's own formatter speaks UTC. */
export function formatDay(seconds: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date(seconds * 1000))
}
