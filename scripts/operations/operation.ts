import type { Services } from '@/lib/composition'

/** What a command gets: the services, what was typed, and who typed it. */
export interface OperationInput {
  services: Pick<Services, 'ledger' | 'books' | 'payments' | 'settings'>
  /** Words after the command's name. */
  words: string[]
  options: { account?: string; amount?: string; reason?: string; days?: string; months?: string }
  /** Kept with every transfer that the command makes. */
  operator: string
  print: (line: string) => void
}

export interface Operation {
  usage: string
  run(input: OperationInput): Promise<void>
}

/** A command that cannot be carried out as typed; the sentence says why. */
export class OperationError extends Error {
  override readonly name = 'OperationError'
}
