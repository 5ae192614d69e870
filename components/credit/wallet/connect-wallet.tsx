'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { focusAfterRender } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { PASSPHRASE_LENGTH_MIN } from '@/lib/local/wallet/sealed-connection'
import { askWalletInFrame } from '@/lib/payments/client/ask-wallet-in-frame'
import { readWalletConnection } from '@/lib/payments/domain/wallet-connection'
import { canSealByPasskey, makePasskeyLock } from './passkey'
import { keepWallet, keepWalletByPassphrase } from './wallet'

type Problem = 'malformed' | 'short' | 'unreachable' | 'notAllowed' | 'passkey' | 'full'

/** Takes a connection to the person's wallet, tests it, and seals it. */
export function ConnectWallet() {
  const t = useTranslations('wallet')
  const walletText = useTranslations('credit.wallet')
  const [connection, setConnection] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const [busy, setBusy] = useState<'passphrase' | 'passkey' | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const hasPasskeys = useHasPasskeys()

  const connect = async (by: 'passphrase' | 'passkey') => {
    const isShort = by === 'passphrase' && passphrase.length < PASSPHRASE_LENGTH_MIN
    const refused = readWalletConnection(connection) ? (isShort ? 'short' : null) : 'malformed'
    setProblem(refused)
    if (refused) return focusAfterRender('form [aria-invalid]')
    setBusy(by)
    setProblem(await tryAndKeep(connection, by === 'passkey' ? { name: t('title') } : { passphrase }))
    setBusy(null)
  }
  const formProblem = problem === 'malformed' || problem === 'short' ? null : problem
  return (
    <form
      className={layout.stack}
      onSubmit={event => {
        event.preventDefault()
        void connect('passphrase')
      }}
    >
      <Field
        label={t('connection')}
        hint={t('connectionHint')}
        error={problem === 'malformed' && t('connectProblem.malformed')}
      >
        {control => (
          <TextInput
            {...control}
            mono
            type="password"
            // Password managers must not save it, since it would leave this browser.
            autoComplete="one-time-code"
            spellCheck={false}
            value={connection}
            onChange={event => setConnection(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field
        label={walletText('passphrase')}
        hint={t('passphraseHint', { count: PASSPHRASE_LENGTH_MIN })}
        error={problem === 'short' && t('connectProblem.short', { count: PASSPHRASE_LENGTH_MIN })}
      >
        {control => (
          <TextInput
            {...control}
            type="password"
            autoComplete="new-password"
            value={passphrase}
            onChange={event => setPassphrase(event.currentTarget.value)}
          />
        )}
      </Field>
      <p role="alert" className={text.problem}>
        {formProblem && t(`connectProblem.${formProblem}`)}
      </p>
      <div className={layout.row}>
        <Button type="submit" loading={busy === 'passphrase'}>
          {t('connect')}
        </Button>
        {hasPasskeys && (
          <Button variant="quiet" loading={busy === 'passkey'} onClick={() => void connect('passkey')}>
            {t('connectByPasskey')}
          </Button>
        )}
      </div>
    </form>
  )
}

function useHasPasskeys(): boolean {
  const [hasPasskeys, setHasPasskeys] = useState(false)
  useEffect(() => {
    void canSealByPasskey().then(setHasPasskeys)
  }, [])
  return hasPasskeys
}

/** Tests the connection now, while the person has the wallet at hand, and keeps it if it can pay. */
async function tryAndKeep(
  connection: string,
  secret: { passphrase: string } | { name: string },
): Promise<Problem | null> {
  // The passkey comes first: browsers allow one only soon after a click.
  const passkey = 'name' in secret ? await makePasskeyLock(secret.name) : null
  if ('name' in secret && !passkey) return 'passkey'
  const reply = await askWalletInFrame(connection, { kind: 'introduce' })
  if (reply.kind === 'unreachable' || reply.kind === 'silent') return 'unreachable'
  if (reply.kind === 'refused' && reply.code === 'UNAUTHORIZED') return 'notAllowed'
  if (reply.kind === 'introduced' && !reply.methods.includes('pay_invoice')) return 'notAllowed'
  const isKept =
    'passphrase' in secret
      ? await keepWalletByPassphrase(connection, secret.passphrase)
      : passkey !== null && (await keepWallet(connection, passkey.lock, passkey.key))
  return isKept ? null : 'full'
}
