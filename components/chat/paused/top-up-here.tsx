'use client'

import { useTranslations } from 'next-intl'
import { TopUp } from '@/components/credit/top-up/top-up'
import { Dialog } from '@/components/ui/dialog'
import { type ContinueWish, writeContinueWish } from './continue-wish'

interface TopUpHereProps {
  wish: ContinueWish
  open: boolean
  onClose: () => void
}

/** The top-up in a dialog over the chat. It keeps polling for the payment while it is closed. */
export function TopUpHere({ wish, open, onClose }: TopUpHereProps) {
  const t = useTranslations('chat.paused')
  return (
    <Dialog open={open} onClose={onClose} title={t('topUpTitle')} keepsContent>
      <p>{t('goesOn')}</p>
      <TopUp
        returnHref={null}
        place={{
          invoiceId: wish.invoiceId,
          amountUsd: null,
          methodName: null,
          onInvoice: invoiceId => writeContinueWish({ ...wish, invoiceId }),
          onStartOver: () => writeContinueWish({ ...wish, invoiceId: null }),
        }}
      />
    </Dialog>
  )
}
