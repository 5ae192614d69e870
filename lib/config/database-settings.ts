import { z } from 'zod'
import { type Environment, readNamedFile, readOne, readVariable } from './read-group'
import { SettingsError } from './settings-error'

/** A password that contains `#`, `/` or `?` ends the host's part of the URL early. */
const SHAPE =
  'expected postgres://<user>:<password>@<host>/<database>, with special characters of the password percent-encoded (%23 for #)'

/** What the driver knows: of any other name it would make the strictest. */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: SHAPE, abort: true })
  // Of nothing at all, the driver would make this machine.
  .refine(text => /^\w+:\/*[^/]/.test(text), SHAPE)
  .refine(text => !/\[YOUR-PASSWORD\]/i.test(text), 'write the password in place of [YOUR-PASSWORD]')
  .refine(isDecodable, SHAPE)
  // With a second one, what follows would belong to the value before it, and the connection not be encrypted.
  .refine(
    text => !new URL(text).search.slice(1).includes('?'),
    'it has two question marks: parameters after the first one begin with &',
  )
  .superRefine((text, context) => {
    const mode = new URL(text).searchParams.get('sslmode') ?? 'disable'
    if (SSL_MODES.includes(mode)) return
    const message = `expected one of ${SSL_MODES.join(', ')}, but it says sslmode=${mode}`
    context.addIssue({ code: 'custom', message })
  })

/** Settings of the database, with files that they name. @throws SettingsError */
export function readDatabase(environment: Environment) {
  const url = readDatabaseUrl(environment, 'DATABASE_URL')
  const directUrl = readDatabaseUrl(environment, 'DATABASE_DIRECT_URL')
  // Real money would otherwise be kept on this machine's disk, or in a container without a volume.
  if (directUrl && !url)
    throw new SettingsError(
      'DATABASE_URL is missing, but DATABASE_DIRECT_URL, which only serves migrations, is set. Set both, or neither.',
    )
  return { url, directUrl, dataDirectory: readDataDirectory(environment) }
}

/**
 * Only a shell knows what `~` is: the money would be in a folder of that name within the code, which upgrades replace.
 * And Node never stops trying to make a folder in /proc, where the system says that /proc itself is missing.
 */
function readDataDirectory(environment: Environment): string {
  const path = readVariable(environment, 'DATA_DIR') ?? '.data'
  if (/^~(?:\/|$)/.test(path))
    throw new SettingsError(
      'DATA_DIR is not valid: ~ is not your home here, but a folder of that name where the server was started. Write the whole path.',
    )
  if (/^\/proc(?:\/|$)/.test(path))
    throw new SettingsError('DATA_DIR is not valid: nothing can be stored in /proc. Name a folder on a disk.')
  return path
}

/** The driver reads the files of certificates itself, but its error would look like one of the server's. */
function readDatabaseUrl(environment: Environment, name: string): string | null {
  const url = readOne(environment, name, postgresUrl)
  for (const parameter of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = url && new URL(url).searchParams.get(parameter)
    if (path) readNamedFile(name, path)
  }
  return url
}

/** A percent sign by itself is read as it is, but what looks encoded has to be UTF-8. */
function isDecodable(text: string): boolean {
  const { username, password, pathname } = new URL(text)
  try {
    for (const part of [username, password, pathname])
      decodeURIComponent(part.replace(/%(?![0-9a-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}
