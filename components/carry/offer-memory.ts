import { guardedStorage } from '@/lib/local/storage/guarded-storage'

/** The offer to keep a copy is made once in a browser, at the first money that arrives. */
const CARRY_OFFERED_KEY = 'carryOffered'

export function wasCarryOffered(): boolean {
  return guardedStorage.read(CARRY_OFFERED_KEY) !== null
}

export function rememberCarryOffer(): void {
  guardedStorage.write(CARRY_OFFERED_KEY, '1')
}
