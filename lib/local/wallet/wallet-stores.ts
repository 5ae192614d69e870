import { guardedStorage } from '../storage/guarded-storage'
import { WALLET_CONNECTION_KEY, WALLET_TOP_UPS_KEY } from '../storage/storage-keys'
import { createTextStore } from '../storage/text-store'

/** The connection to the person's wallet, sealed (sealed-connection.ts). */
export const walletConnectionStore = createTextStore(guardedStorage, WALLET_CONNECTION_KEY, text => text)

/** What the wallet may pay by itself, and what became of it (lib/payments/domain/wallet-top-ups). */
export const walletTopUpsStore = createTextStore(guardedStorage, WALLET_TOP_UPS_KEY, text => text)
