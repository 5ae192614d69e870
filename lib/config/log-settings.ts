import { type Environment, readVariable } from './read-group'
import { SettingsError } from './settings-error'

/** In order of severity. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
const LOG_FORMATS = ['json', 'text'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
export interface LogSettings {
  level: LogLevel
  format: (typeof LOG_FORMATS)[number]
}

/** JSON lines, except on a terminal. @throws SettingsError */
export function readLogSettings(environment: Environment, isTerminal = false): LogSettings {
  return {
    level: readChoice(environment, 'LOG_LEVEL', LOG_LEVELS) ?? 'info',
    format: readChoice(environment, 'LOG_FORMAT', LOG_FORMATS) ?? (isTerminal ? 'text' : 'json'),
  }
}

function readChoice<Choice extends string>(
  environment: Environment,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const given = readVariable(environment, name)
  if (given === undefined) return null
  const choice = choices.find(each => each === given)
  if (choice) return choice
  throw new SettingsError(`${name} is not valid: expected ${choices.join(', ')}.`)
}
