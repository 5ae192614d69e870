import { readFileSync } from 'node:fs'
import { type ZodType, z } from 'zod'
import { SettingsError } from './settings-error'

export type Environment = Record<string, string | undefined>

export const url = z.url({ protocol: /^https?$/, error: 'expected a URL starting with http:// or https://' })
/** Paths are appended to it, so a query would end up in the middle, or be lost. `fetch` refuses a user and password. */
export const baseUrl = url
  .refine(value => !/[?#]/.test(value), 'expected a URL without a query (?…) and without a fragment (#…)')
  .refine(value => !/^https?:\/\/[^/]*@/.test(value), 'expected a URL without a user name and a password')
  .transform(value => value.replace(/\/+$/, ''))
export const secret = z.string().min(1)
/** `fetch` refuses any other character, with an error that names neither the header nor the setting. */
export const headerSecret = secret.regex(
  /^[\t\x20-\x7e\x80-\xff]*$/,
  'a character in it cannot be sent in a header, such as a dash or an invisible space from a copied text',
)
/** What a caller has to show. With that of the payments host, money can be created, so none may be easy to guess. */
export const token = headerSecret.min(16, 'expected at least 16 characters')

/**
 * Reads the settings of one integration. If none is set, the result is null and the feature is off. If only some of the
 * required ones are set, or one is malformed, a SettingsError names the variable: a partial configuration never runs.
 */
export function readGroup<Shape extends Record<string, ZodType>>(
  environment: Environment,
  group: { name: string; shape: Shape; turnedOnBy?: (keyof Shape & string)[] },
): { [Name in keyof Shape]: Shape[Name]['_output'] } | null {
  const names = Object.keys(group.shape) as (keyof Shape & string)[]
  const isGiven = (name: string) => readVariable(environment, name) !== undefined
  const isOn = (group.turnedOnBy ?? names).some(isGiven)
  // A setting that turns nothing on by itself is still checked: a malformed one would only show once the others are
  // set.
  const values = names
    .filter(name => isOn || isGiven(name))
    .map(name => [name, parseVariable(environment, name, group.shape[name] as ZodType, group.name)])
  return isOn ? Object.fromEntries(values) : null
}

/** Reads a setting that stands alone. @throws SettingsError if it is malformed */
export function readOne<Value>(environment: Environment, name: string, schema: ZodType<Value>): Value | null {
  return (readGroup(environment, { name, shape: { [name]: schema } })?.[name] as Value | undefined) ?? null
}

/**
 * An empty variable counts as not set, because that is how most hosts write "unset".
 *
 * @throws SettingsError if it is in quotes, as Docker's `--env-file` passes them on, of which a key would only be refused
 * when it is used
 */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim()
  if (value && /^(["']).*\1$/s.test(value))
    throw new SettingsError(
      `${name} is not valid: it is in quotes, which are part of the value here. Remove them.`,
    )
  return value === undefined || value === '' ? undefined : value
}

/** Vercel sets it in its builds and functions, and `vercel env pull` writes it into a file of a developer's machine. */
export function isOnVercel(environment: Environment): boolean {
  return readVariable(environment, 'VERCEL') === '1' && environment.NODE_ENV !== 'development'
}

/** A file that a setting names, without a byte order mark. @throws SettingsError if it cannot be read */
export function readNamedFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw new SettingsError(`${setting} names ${path}, which cannot be read: ${(error as Error).message}`)
  }
}

/** A setting of JSON, which is in a file or, where there is no disk, in the environment itself. */
export interface JsonSetting {
  /** The name of the setting that was given. */
  readonly setBy: string
  readonly text: string
}

/** @throws SettingsError if both are set, or what is given is no JSON */
export function readJsonSetting(
  environment: Environment,
  fileName: string,
  textName: string,
): JsonSetting | null {
  const [path, given] = [readVariable(environment, fileName), readVariable(environment, textName)]
  if (path !== undefined && given !== undefined)
    throw new SettingsError(`${fileName} and ${textName} are both set: unset one of them.`)
  const setBy = path === undefined ? textName : fileName
  const text = path === undefined ? given : readNamedFile(setBy, path)
  if (text === undefined) return null
  try {
    JSON.parse(text)
  } catch (error) {
    // Only the place, since the rest of the parser's message quotes the text, and with it a key.
    const [place = 'its beginning'] = /(?<=\()line \d+ column \d+/.exec(String(error)) ?? []
    throw new SettingsError(`${setBy} is not valid: it is no JSON, from ${place} on.`)
  }
  return { setBy, text }
}

function parseVariable(environment: Environment, name: string, schema: ZodType, groupName: string): unknown {
  const value = readVariable(environment, name)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new SettingsError(
    value === undefined
      ? `${name} is missing: ${groupName} is only half configured. Set it, or unset the other settings of its group.`
      : `${name} is not valid: ${parsed.error.issues[0]?.message ?? 'unexpected value'}.`,
  )
}
