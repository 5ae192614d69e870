'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { focusAfterRender } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { canSeal } from '@/lib/local/wallet/sealed-connection'
import { ConnectWallet } from './connect-wallet'
import { recordTopUpEvent } from './top-ups'
import { UnlockWallet } from './unlock-wallet'
import { forgetWallet, lockWallet, useWallet } from './wallet'
import { WalletRulesForm } from './wallet-rules-form'
import { WalletState } from './wallet-state'

export function WalletSettings() {
  const t = useTranslations('wallet')
  const { lock } = useWallet()
  const isConnected = lock !== null
  const wasConnected = useRef(isConnected)
  // The form that had the focus is gone.
  useEffect(() => {
    if (wasConnected.current !== isConnected) focusAfterRender('#wallet h2')
    wasConnected.current = isConnected
  }, [isConnected])
  if (isConnected) return <ConnectedWallet />
  return (
    <div className={layout.looseStack}>
      {canSeal() ? <ConnectWallet /> : <p className={text.text}>{t('needsHttps')}</p>}
      <WalletState />
    </div>
  )
}

function ConnectedWallet() {
  const t = useTranslations('wallet')
  const walletText = useTranslations('credit.wallet')
  const { isUnlocked } = useWallet()
  const [isUnlocking, setUnlocking] = useState(false)
  const disconnect = async () => {
    // What was paid, or may have been, stays on record.
    await recordTopUpEvent({ type: 'allowed', rules: null })
    forgetWallet()
  }
  return (
    <div className={layout.looseStack}>
      <div className={layout.stack}>
        <p className={text.text}>{t(isUnlocked ? 'unlocked' : 'locked')}</p>
        <div className={layout.row}>
          {isUnlocked ? (
            <Button variant="quiet" onClick={lockWallet}>
              {t('lock')}
            </Button>
          ) : (
            <Button onClick={() => setUnlocking(true)}>{walletText('unlock')}</Button>
          )}
          <Button variant="quiet" onClick={() => void disconnect()}>
            {t('disconnect')}
          </Button>
        </div>
      </div>
      <WalletState />
      <WalletRulesForm />
      {isUnlocking && (
        <UnlockWallet onUnlocked={() => setUnlocking(false)} onClose={() => setUnlocking(false)} />
      )}
    </div>
  )
}
