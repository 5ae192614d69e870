import type { z } from 'zod'
import type { Ledger } from './ledger'
import {
  wireCreateAccount,
  wireCredit,
  wireGetBalance,
  wireGetUsage,
  wireListUsage,
  wireMerge,
  wireReverse,
} from './wire-accounts'
import { wireHold, wireRelease, wireRenew, wireSettle, wireSweep } from './wire-holds'
import { wireCreateKey, wireGetKey, wireListKeys, wireRevokeKey, wireUpdateKey } from './wire-keys'

/** What one verb is asked and answers, as JSON and as values. */
export interface VerbWire<Input, Output> {
  input: z.ZodType<Input>
  output: z.ZodType<Output>
}

/** Every verb of the ledger on the wire: `POST /api/ledger/<verb>`. */
export const LEDGER_WIRE = {
  createAccount: wireCreateAccount,
  getBalance: wireGetBalance,
  hold: wireHold,
  renew: wireRenew,
  settle: wireSettle,
  release: wireRelease,
  credit: wireCredit,
  reverse: wireReverse,
  merge: wireMerge,
  sweep: wireSweep,
  createKey: wireCreateKey,
  listKeys: wireListKeys,
  getKey: wireGetKey,
  updateKey: wireUpdateKey,
  revokeKey: wireRevokeKey,
  listUsage: wireListUsage,
  getUsage: wireGetUsage,
} as const satisfies {
  [Verb in keyof Ledger]: VerbWire<Parameters<Ledger[Verb]>[0], Awaited<ReturnType<Ledger[Verb]>>>
}
