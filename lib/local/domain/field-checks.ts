type Check = (value: unknown) => boolean
/** What each optional field of a stored record must be. */
export type FieldChecks<Fields = Record<string, unknown>> = Readonly<Record<keyof Fields & string, Check>>

/** The fields may be absent, but not of another type. */
export function hasSoundFields<Fields>(
  record: Record<string, unknown>,
  checks: FieldChecks<Fields>,
): boolean {
  return Object.entries<Check>(checks).every(
    ([field, check]) => record[field] === undefined || check(record[field]),
  )
}

/** Of the type that their checks stand for. */
export function soundFields<Fields>(
  record: Record<string, unknown>,
  checks: FieldChecks<Fields>,
): Partial<Fields> {
  const sound = Object.entries<Check>(checks).filter(([field, check]) => check(record[field]))
  return Object.fromEntries(sound.map(([field]) => [field, record[field]])) as Partial<Fields>
}
