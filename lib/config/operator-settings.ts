import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Locale, routing } from '@/lib/i18n/routing'
import { type Environment, readOne, readVariable } from './read-group'
import { SettingsError } from './settings-error'

const NAME_LENGTH_MAX = 200
const TEXT_LENGTH_MAX = 200_000

/** By language, in Markdown. */
export type TextByLocale = Partial<Record<Locale, string>>

/** Who runs the site, and the terms of its own; null where nothing was given. @throws SettingsError */
export function readOperatorSettings(environment: Environment) {
  return {
    operatorName: readOne(environment, 'OPERATOR_NAME', z.string().max(NAME_LENGTH_MAX)),
    operatorTexts: {
      terms: readText(environment, 'TERMS'),
      privacy: readText(environment, 'PRIVACY'),
    },
  }
}

/**
 * `TERMS_FILE=/etc/site/terms.md`, with `terms.de.md` beside it for German; or `TERMS_TEXT` and
 * `TERMS_TEXT_DE`, where there is no disk. The text without a language is the one for all the others.
 */
function readText(environment: Environment, name: 'TERMS' | 'PRIVACY'): TextByLocale | null {
  const path = readVariable(environment, `${name}_FILE`)
  const given = readVariable(environment, `${name}_TEXT`)
  const own = (locale: Locale) => `${name}_TEXT_${locale.toUpperCase()}`
  const variables = [`${name}_TEXT`, ...routing.locales.map(own)]
  const isGiven = variables.find(variable => readVariable(environment, variable) !== undefined)
  if (path !== undefined && isGiven)
    throw new SettingsError(`${name}_FILE and ${isGiven} are both set: unset one of them.`)
  if (path === undefined && !isGiven) return null
  const general = path === undefined ? given : readFile(`${name}_FILE`, path)
  const texts = routing.locales.flatMap(locale => {
    const ownPath = path?.replace(/(\.\w+)?$/, `.${locale}$1`)
    const hasFile = ownPath !== undefined && existsSync(ownPath)
    const text = hasFile ? readFile(`${name}_FILE`, ownPath) : readVariable(environment, own(locale))
    const shown = text ?? general
    return shown === undefined ? [] : [[locale, shown] as const]
  })
  const tooLong = texts.find(([, text]) => text.length > TEXT_LENGTH_MAX)
  if (tooLong) throw new SettingsError(`${name} is too long: at most ${TEXT_LENGTH_MAX} characters.`)
  return Object.fromEntries(texts)
}

function readFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new SettingsError(`${setting} cannot be read at ${path}.`)
  }
}
