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
  usage: string
  run(input: OperationInput): Promise<void>
}

/** A command that cannot be carried out as typed; the message says why. */
export class OperationError extends Error {
  override readonly name = 'OperationError'
}
