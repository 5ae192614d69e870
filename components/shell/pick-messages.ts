/** The part of an object under the given keys; keys it lacks are left out. */
export function pickMessages<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Partial<Source> {
  const picked: Partial<Source> = {}
  for (const key of keys) if (key in source) picked[key] = source[key]
  return picked
}
