'use client'

import { useFormatter, useLocale, useTranslations } from 'next-intl'
import { useCreditId } from '@/components/credit/use-credit-id'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { Money } from '@/components/ui/money'
import { saveFile } from '@/components/ui/save-file'
import text from '@/components/ui/text.module.css'
import { fetchReceipt } from '@/lib/api/client/queries'
import type { Query } from '@/lib/api/contracts/queries'
import { formatMoney } from '@/lib/money/format-money'
import styles from './cost-breakdown.module.css'
import { costParts } from './cost-parts'

/** How the price of one call came about, to the last digit. */
export function CostBreakdown({ entry }: { entry: Query }) {
  const t = useTranslations('cost')
  const locale = useLocale()
  const format = useFormatter()
  const money = (usd: string | number) => <Money text={formatMoney(usd, locale)} />
  const reckoned = entry.price_in_usd === 0 ? null : costParts(entry)
  const isPicture = reckoned?.parts.some(({ kind }) => kind === 'picture') ?? false
  return (
    <div className={styles.breakdown}>
      {reckoned && reckoned.parts.length > 0 && (
        <table className={layout.table}>
          <caption className={styles.caption}>{t(isPicture ? 'pictureCaption' : 'caption')}</caption>
          <tbody>
            {reckoned.parts.map(({ kind, count, priceUsd, partUsd }) => (
              <tr key={kind}>
                <th scope="row">
                  {t(`part.${kind}`)}
                  <span className={styles.detail}>
                    {kind === 'request'
                      ? t('perRequest')
                      : t(kind === 'picture' ? 'picturesTimesPrice' : 'tokensTimesPrice', {
                          count,
                          price: formatMoney(priceUsd, locale),
                        })}
                  </span>
                </th>
                <td>{money(partUsd)}</td>
              </tr>
            ))}
            {reckoned.differenceUsd !== null && (
              <tr>
                <th scope="row">
                  {t('difference')}
                  <span className={styles.detail}>{t('differenceHint')}</span>
                </th>
                <td>{money(reckoned.differenceUsd)}</td>
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('charged')}</th>
              <td>{money(entry.price_in_usd)}</td>
            </tr>
          </tfoot>
        </table>
      )}
      {reckoned?.cacheDiscountUsd && (
        <p className={text.mutedText}>
          {t('cacheDiscount', { amount: formatMoney(reckoned.cacheDiscountUsd, locale) })}
        </p>
      )}
      <p className={text.mutedText}>
        {t(`basis.${entry.cost_basis}`)} {entry.estimated && entry.cost_basis !== 'none' && t('estimated')}
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>{t('held')}</dt>
          <dd>{money(entry.held_usd)}</dd>
        </div>
        <div>
          <dt>{t('settled')}</dt>
          <dd>{money(entry.price_in_usd)}</dd>
        </div>
        <div>
          <dt>{t('duration')}</dt>
          <dd>
            {t('seconds', { seconds: format.number(entry.duration_ms / 1000, { maximumFractionDigits: 1 }) })}
          </dd>
        </div>
      </dl>
      <p className={text.mutedText}>{t('markup')}</p>
      <ReceiptDownload exchangeId={entry.id} />
    </div>
  )
}

/** A signed receipt, to show to others or to check. */
function ReceiptDownload({ exchangeId }: { exchangeId: string }) {
  const t = useTranslations('cost.receipt')
  const creditId = useCreditId()
  const download = useRequest()
  if (!creditId) return null
  const save = () =>
    download.run(async () => {
      const receipt = await fetchReceipt(creditId, exchangeId)
      saveFile(new Blob([receipt], { type: 'application/jose' }), `receipt-${exchangeId}.jws`)
    })
  return (
    <div className={styles.receipt}>
      <Button variant="quiet" size="small" loading={download.busy} onClick={() => void save()}>
        {t('download')}
      </Button>
      <p className={text.mutedText}>{t('hint')}</p>
      <RequestProblem errorCode={download.errorCode} />
    </div>
  )
}
