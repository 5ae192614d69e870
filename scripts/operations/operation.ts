import type { Services } from '@/lib/composition'

/** The input of a command: the services, what was typed, and who typed it. */
export interface OperationInput {
  services: Pick<Services, 'ledger' | 'books' | 'payments' | 'settings'>
  /** The words after the command's name. */
  words: string[]
  options: { account?: string; amount?: string; reason?: string; days?: string; months?: string }
  /** Stored with every transfer that the command makes. */
  operator: string
  print: (line: string) => void
}

export interface Operation {
  /** What the command takes; an option that is not in it is refused. */
  usage: string
  /** How many words may follow the command's name; none if not given. */
  wordCountMax?: number
  run(input: OperationInput): Promise<void>
}

/** A command that cannot be carried out as typed; the message says why. */
export class OperationError extends Error {
  override readonly name = 'OperationError'
}

/**
 * A word or an option that a command does not take would be ignored: `prune 36` would prune at 24 months, and a reason
 * without quotes would be recorded as its first word.
 *
 * @throws OperationError
 */
export function refuseExtras(
  { usage, wordCountMax = 0 }: Operation,
  { words, options }: Pick<OperationInput, 'words' | 'options'>,
): void {
  const word = words[wordCountMax]
  if (word !== undefined) throw new OperationError(`"${word}" is one word too many. Expected: ${usage}`)
  const option = Object.keys(options).find(name => !usage.includes(`--${name} `))
  if (option !== undefined)
    throw new OperationError(`This command does not take --${option}. Expected: ${usage}`)
}

/**
 * Only the last of them would count: of an amount and a correction of it, or of two accounts.
 *
 * @throws OperationError
 */
export function refuseRepeated(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw new OperationError(`--${repeated} is given twice: give it once.`)
}
