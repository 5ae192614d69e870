'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { focusAfterRender } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { keyOfPasskey } from './passkey'
import { unlockWallet, useWallet } from './wallet'

interface UnlockWalletProps {
  onUnlocked: () => void
  onClose: () => void
}

/** Unlocks the wallet for this tab by its passphrase, or by the passkey that sealed it. */
export function UnlockWallet({ onUnlocked, onClose }: UnlockWalletProps) {
  const t = useTranslations('credit.wallet')
  const { lock } = useWallet()
  const [passphrase, setPassphrase] = useState('')
  const [state, setState] = useState<'open' | 'busy' | 'refused'>('open')
  const isPasskey = lock?.kind === 'passkey'
  const unlock = async () => {
    setState('busy')
    const isUnlocked = await unlockWallet(isPasskey ? { keyOf: keyOfPasskey } : { passphrase })
    setState(isUnlocked ? 'open' : 'refused')
    if (isUnlocked) onUnlocked()
    else focusAfterRender('dialog [aria-invalid]', ':focus')
  }
  return (
    <Dialog open onClose={onClose} title={t('unlockTitle')}>
      <form
        className={layout.stack}
        onSubmit={event => {
          event.preventDefault()
          void unlock()
        }}
      >
        {isPasskey ? (
          <>
            <p className={text.text}>{t('unlockPasskey')}</p>
            <p role="alert" className={text.problem}>
              {state === 'refused' && t('passkeyRefused')}
            </p>
          </>
        ) : (
          <Field
            label={t('passphrase')}
            hint={t('unlockHint')}
            error={state === 'refused' && t('passphraseWrong')}
          >
            {control => (
              <TextInput
                {...control}
                type="password"
                autoComplete="current-password"
                value={passphrase}
                onChange={event => {
                  setPassphrase(event.currentTarget.value)
                  setState('open')
                }}
              />
            )}
          </Field>
        )}
        <div>
          <Button type="submit" loading={state === 'busy'}>
            {t('unlock')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
