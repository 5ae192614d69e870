'use client'

import { useLocale, useTranslations } from 'next-intl'
import layout from '@/components/ui/layout.module.css'
import { lazyPart } from '@/components/ui/lazy-part'
import { LinkButton } from '@/components/ui/link-button'
import { useStore } from '@/components/ui/use-store'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { ApiCallError } from '@/lib/http/client/call-api'
import { Link } from '@/lib/i18n/navigation'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { findArea } from '@/lib/local/storage/storage-area'
import { formatMoney } from '@/lib/money/format-money'
import { refreshBalance } from '../balance-store'
import { ensureCredit, replaceUnknownCredit } from '../ensure-credit'
import { useCreditId } from '../use-credit-id'
import { type Payee, PaymentFlow, type PaymentPlace } from './payment-flow'
import { PaymentNotice, TONES } from './payment-notice'
import { outcomeKey } from './payment-rules'

/** Loaded once money has arrived, which is when there is something to back up. */
const CarryOffer = lazyPart(async () => (await import('@/components/carry/carry-offer')).CarryOffer)

interface TopUpProps {
  /** The page that the person came from; null if it is this one. */
  returnHref: string | null
  place?: PaymentPlace
}

/** Pays into this browser's credit, which is created if there is none. */
const OWN_CREDIT: Omit<Payee, 'credential'> = {
  routes: '/topup',
  async ensureCredential() {
    // Without storage an order would succeed, but a checkout elsewhere would return to a page that knows no credit.
    if (!findArea('localStorage')) throw new ApiCallError('storage_refused')
    return ensureCredit()
  },
  replaceCredential: replaceUnknownCredit,
  onCredited: () => void refreshBalance(),
}

export function TopUp({ returnHref, place }: TopUpProps) {
  const t = useTranslations('topUp')
  const credential = useCreditId()
  return (
    <PaymentFlow
      payee={{ ...OWN_CREDIT, credential }}
      place={place}
      note={t('note')}
      outcome={invoice => <InvoiceOutcome invoice={invoice} returnHref={returnHref} />}
      unknown={<UnknownInvoice />}
      againLabel={t('again')}
    />
  )
}

interface InvoiceOutcomeProps {
  invoice: InvoiceStatus
  returnHref: string | null
}

/** Describes in full what is known of the payment. */
function InvoiceOutcome({ invoice, returnHref }: InvoiceOutcomeProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const key = outcomeKey(invoice)
  const tone = TONES[key]
  // A part is enough to go on with.
  const hasArrived = tone === 'good' || key === 'partial' || key === 'partialExpired'
  const amount = formatMoney(key === 'refunded' ? invoice.refunded_usd : invoice.credited_usd, locale)
  const rest = formatMoney(invoice.uncredited_usd, locale)
  return (
    <div className={layout.looseStack}>
      <PaymentNotice tone={tone} title={t(`outcome.${key}.title`, { amount })}>
        {t(`outcome.${key}.text`, { amount, rest })}
      </PaymentNotice>
      {hasArrived && returnHref !== null && (
        <div>
          <LinkButton component={Link} href={returnHref} variant={key === 'partial' ? 'quiet' : 'primary'}>
            {t('backToChat')}
          </LinkButton>
        </div>
      )}
      {/* Below the way back, which it would push from under the finger when it has loaded. */}
      {hasArrived && <CarryOffer />}
    </div>
  )
}

function UnknownInvoice() {
  const t = useTranslations('topUp')
  const replacement = useStore(creditReplacementStore)
  const wasReplaced = replacement !== null && replacement.state !== 'prepared'
  return (
    <PaymentNotice tone="bad" title={t('unknown.title')}>
      {wasReplaced && `${t('unknown.replaced')} `}
      {t.rich('unknown.text', { link: words => <Link href="/account#restore">{words}</Link> })}
    </PaymentNotice>
  )
}
