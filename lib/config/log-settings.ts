import { type Environment, isOnVercel, readVariable } from './read-group'
import { SettingsError } from './settings-error'

/** In order of severity. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
const LOG_FORMATS = ['json', 'text'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
export interface LogSettings {
  level: LogLevel
  format: (typeof LOG_FORMATS)[number]
  /** Lines below this level go to stdout. */
  stderrLevel: LogLevel
}

/**
 * JSON lines, except on a terminal. All go to stderr, since commands answer on stdout; but Vercel shows whatever comes
 * from there as an error.
 *
 * @throws SettingsError
 */
export function readLogSettings(environment: Environment, isTerminal = false): LogSettings {
  return {
    level: readChoice(environment, 'LOG_LEVEL', LOG_LEVELS) ?? 'info',
    format: readChoice(environment, 'LOG_FORMAT', LOG_FORMATS) ?? (isTerminal ? 'text' : 'json'),
    stderrLevel: isOnVercel(environment) ? 'warn' : 'debug',
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
