'use client'

import { Download } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import useSWR from 'swr'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Icon } from '@/components/ui/icon'
import layout from '@/components/ui/layout.module.css'
import { Qr } from '@/components/ui/qr'
import { saveFile } from '@/components/ui/save-file'
import { Skeleton } from '@/components/ui/skeleton'
import { isCreditId } from '@/lib/local/credit-id'
import { creditIdToWords } from '@/lib/local/credit-words'
import styles from './credit-backup.module.css'

/** The credit in every form in which it can be carried. Whoever sees it can spend it. */
export function CreditBackup({ creditId }: { creditId: string }) {
  const t = useTranslations('carry')
  const words = useWords(creditId)
  const text = words?.map(({ word }) => word).join(' ') ?? ''
  const save = () => {
    const lines = [t('fileTitle'), text, creditId, t('fileHint'), ''].join('\n\n')
    saveFile(new Blob([lines], { type: 'text/plain' }), 'credit.txt')
  }
  return (
    <div className={layout.stack}>
      {words ? (
        <ol className={styles.words} aria-label={t('words')}>
          {words.map(({ place, word }) => (
            <li key={place}>{word}</li>
          ))}
        </ol>
      ) : (
        <Skeleton length="long" />
      )}
      <p className={styles.note}>{t('wordsHint')}</p>
      <div className={layout.row}>
        {words && <CopyButton text={text} label={t('copyWords')} />}
        {words && (
          <Button variant="quiet" onClick={save}>
            <Icon icon={Download} size={16} />
            {t('download')}
          </Button>
        )}
      </div>
      <div className={styles.qr}>
        <Qr value={creditId} title={t('qr')} />
        <p className={styles.note}>{t('qrHint')}</p>
      </div>
    </div>
  )
}

interface PlacedWord {
  /** From 1; a word may come twice. */
  place: number
  word: string
}

/** The credit_id as twelve words of the page's language; null while its list loads, or for another form. */
function useWords(creditId: string): readonly PlacedWord[] | null {
  const locale = useLocale()
  const { data } = useSWR(
    isCreditId(creditId) ? (['words', creditId, locale] as const) : null,
    async ([, id, language]) => {
      const words = (await creditIdToWords(id, language)).split(' ')
      return words.map((word, index) => ({ place: index + 1, word }))
    },
    { revalidateOnFocus: false, revalidateIfStale: false },
  )
  return data ?? null
}
