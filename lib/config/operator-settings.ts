import { existsSync } from 'node:fs'
import { z } from 'zod'
import { CURATED_ROLES, type CuratedIds } from '@/lib/catalogue/domain/curated-roles'
import { MODEL_ID_LENGTH_MAX } from '@/lib/catalogue/domain/model'
import { type Locale, routing } from '@/lib/i18n/routing'
import { type Environment, readNamedFile, readOne, readVariable } from './read-group'
import { SettingsError } from './settings-error'

const NAME_LENGTH_MAX = 200
const TEXT_LENGTH_MAX = 200_000

/** By language, in Markdown. */
export type TextByLocale = Partial<Record<Locale, string>>

/** `quick=maker/small,best=maker/large` */
const curatedModels = z.string().transform((text, context): CuratedIds => {
  const entries = text.split(',').flatMap(entry => {
    const [name = '', id = '', ...rest] = entry.split('=').map(part => part.trim())
    const role = CURATED_ROLES.find(known => known === name)
    const isValid = role && id !== '' && id.length <= MODEL_ID_LENGTH_MAX && rest.length === 0
    return isValid ? [[role, id] as const] : []
  })
  const ids = Object.fromEntries(entries)
  if (Object.keys(ids).length === text.split(',').length) return ids
  const message = `expected models for ${CURATED_ROLES.join(', ')}, each once, such as quick=maker/small,best=maker/large`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** Who runs the site, and its own terms; null for whatever is not set. @throws SettingsError */
export function readOperatorSettings(environment: Environment) {
  return {
    operatorName: readOne(environment, 'OPERATOR_NAME', z.string().max(NAME_LENGTH_MAX)),
    /** What the picker offers first; roles that are not set are filled by price and abilities. */
    curatedModels: readOne(environment, 'CURATED_MODELS', curatedModels),
    operatorTexts: {
      terms: readText(environment, 'TERMS'),
      privacy: readText(environment, 'PRIVACY'),
    },
  }
}

/**
 * `TERMS_FILE=/etc/site/terms.md`, with `terms.de.md` beside it for German; or `TERMS_TEXT` and `TERMS_TEXT_DE`, if
 * there is no disk. The text without a language is used for all other languages.
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
  const general = path === undefined ? given : readNamedFile(`${name}_FILE`, path)
  const texts = routing.locales.flatMap(locale => {
    const ownPath = path?.replace(/(\.\w+)?$/, `.${locale}$1`)
    const hasFile = ownPath !== undefined && existsSync(ownPath)
    const text = hasFile ? readNamedFile(`${name}_FILE`, ownPath) : readVariable(environment, own(locale))
    const shown = text ?? general
    return shown === undefined ? [] : [[locale, shown] as const]
  })
  const tooLong = texts.find(([, text]) => text.length > TEXT_LENGTH_MAX)
  if (tooLong) throw new SettingsError(`${name} is too long: at most ${TEXT_LENGTH_MAX} characters.`)
  return Object.fromEntries(texts)
}
