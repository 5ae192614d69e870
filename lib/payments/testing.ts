import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createFundedAccount } from '@/lib/ledger/testing'
import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { type Gateway, GatewayError } from './domain/gateway'
import type { Payments } from './domain/payments'
import { createSandboxGateway } from './gateways/sandbox/sandbox-gateway'
import { createPayments } from './server/create-payments'
import type { PaymentTables } from './server/payment-tables'
import { decimal, scriptedGateway } from './server/testing'

/** What the contract tests do behind the back of the payments under test. */
export interface ContractParties {
  gateway: ContractGateway
  createAccount(): Promise<string>
  balanceNano(accountId: string): Promise<Nano | undefined>
}

interface ContractGateway extends ReturnType<typeof scriptedGateway> {
  isDown: boolean
  usdPerBitcoin: Decimal | null
  /** Of the newest invoice. */
  returnUrl: string
}

/** Payments stored here: Lightning through a scripted gateway, cards through the sandbox. */
export function createContractPayments(database: Database): {
  ledger: Ledger
  payments: Payments
  parties: ContractParties
} {
  const ledger = createEmbeddedLedger({ database })
  const gateway = createContractGateway()
  const sandbox = createSandboxGateway({ database: database.kysely.withTables<PaymentTables>() })
  const bonuses = { 'btc-lightning': decimal('0.05') }
  const accounts = new Map<string, Awaited<ReturnType<typeof createFundedAccount>>>()
  return {
    ledger,
    payments: createPayments({ database, ledger, gateways: [gateway, sandbox], bonuses }),
    parties: {
      gateway,
      async createAccount() {
        const account = await createFundedAccount(ledger, 0n)
        accounts.set(account.accountId, account)
        return account.accountId
      },
      async balanceNano(accountId) {
        const credential = accounts.get(accountId)?.credential
        return credential && (await ledger.getBalance({ credential }))?.balanceNano
      },
    },
  }
}

function createContractGateway(): ContractGateway {
  const scripted = scriptedGateway('btcpay')
  const whenUp = <Input extends unknown[], Output>(ask: (...input: Input) => Promise<Output>) => {
    return async (...input: Input): Promise<Output> => {
      if (gateway.isDown) throw new GatewayError('down')
      return ask(...input)
    }
  }
  const createInvoice: Gateway['createInvoice'] = async request => {
    gateway.returnUrl = request.returnUrl
    return {
      ...(await scripted.createInvoice(request)),
      checkoutUrl: 'https://pay.test/i/1?a=b',
      bitcoinDue: decimal('0.00001759'),
    }
  }
  const gateway: ContractGateway = {
    ...scripted,
    isDown: false,
    usdPerBitcoin: null,
    returnUrl: '',
    getUsdPerBitcoin: async () => gateway.usdPerBitcoin,
    createInvoice: whenUp(createInvoice),
    fetchInvoice: whenUp(scripted.fetchInvoice),
  }
  return gateway
}
