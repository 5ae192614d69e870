import { useMemo } from 'react'
import { useStore } from '@/components/ui/use-store'
import { createExternalStore } from '@/lib/local/storage/external-store'
import {
  keyOfPassphrase,
  openConnection,
  type PasskeyLock,
  parseSealedConnection,
  passphraseLock,
  type SealedConnection,
  sealConnection,
  writeSealedConnection,
} from '@/lib/local/wallet/sealed-connection'
import { walletConnectionStore } from '@/lib/local/wallet/wallet-stores'
import { askWalletInFrame } from '@/lib/payments/client/ask-wallet-in-frame'
import type { WalletQuestion, WalletReply } from '@/lib/payments/client/wallet-frame'

/**
 * The key that opens the connection, for as long as this tab lives; it can be used but not exported. The connection
 * itself is decrypted anew for each request.
 */
const openedStore = createExternalStore<{ readonly text: string; readonly key: CryptoKey } | null>(null)

export interface Wallet {
  /** Null if none is connected. */
  readonly lock: SealedConnection['lock'] | null
  readonly isUnlocked: boolean
}

export function useWallet(): Wallet {
  const text = useStore(walletConnectionStore)
  const opened = useStore(openedStore)
  const lock = useMemo(() => parseSealedConnection(text)?.lock ?? null, [text])
  return { lock, isUnlocked: lock !== null && opened?.text === text }
}

export function isWalletUnlocked(): boolean {
  const opened = openedStore.getSnapshot()
  return opened !== null && opened.text === walletConnectionStore.getSnapshot()
}

/** False if local storage is full. */
export async function keepWallet(
  connection: string,
  lock: SealedConnection['lock'],
  key: CryptoKey,
): Promise<boolean> {
  const text = writeSealedConnection(await sealConnection(connection.trim(), key, lock))
  if (!walletConnectionStore.write(text)) return false
  openedStore.set({ text, key })
  return true
}

export async function keepWalletByPassphrase(connection: string, passphrase: string): Promise<boolean> {
  const lock = passphraseLock()
  return keepWallet(connection, lock, await keyOfPassphrase(passphrase, lock))
}

/** False if the passphrase or passkey is not the one that sealed it. */
export async function unlockWallet(
  open: { passphrase: string } | { keyOf: (lock: PasskeyLock) => Promise<CryptoKey | null> },
): Promise<boolean> {
  const text = walletConnectionStore.getSnapshot()
  const sealed = parseSealedConnection(text)
  if (!sealed || text === null) return false
  const { lock } = sealed
  let key: CryptoKey | null = null
  if ('passphrase' in open) {
    key = lock.kind === 'passphrase' ? await keyOfPassphrase(open.passphrase, lock) : null
  } else if (lock.kind === 'passkey') key = await open.keyOf(lock)
  if (!key || (await openConnection(sealed, key)) === null) return false
  openedStore.set({ text, key })
  return true
}

export function lockWallet(): void {
  openedStore.set(null)
}

export function forgetWallet(): void {
  walletConnectionStore.remove()
  openedStore.set(null)
}

/** Null if it is locked. */
export async function askOwnWallet(question: WalletQuestion): Promise<WalletReply | null> {
  const opened = openedStore.getSnapshot()
  const sealed = parseSealedConnection(walletConnectionStore.getSnapshot())
  if (!opened || !sealed || !isWalletUnlocked()) return null
  const connection = await openConnection(sealed, opened.key)
  return connection === null ? null : askWalletInFrame(connection, question)
}
