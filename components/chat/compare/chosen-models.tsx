import { useTranslations } from 'next-intl'
import { useBalance } from '@/components/credit/use-balance'
import { useMoney } from '@/components/ui/money'
import { Status } from '@/components/ui/status'
import { USEFUL_ANSWER_TOKEN_COUNT, wordsOfTokens } from '@/lib/exchange/client/outgoing'
import styles from './compare.module.css'
import { ModelChips, type ModelChipsProps } from './model-chips'
import { sharedTokenCount } from './share-balance'

/** Above the composer: the models that will answer, and any limit that the balance puts on them. */
export function ChosenModels(props: ModelChipsProps) {
  return (
    <>
      <ModelChips {...props} />
      <BalanceShared {...props} />
    </>
  )
}

/** Says before anything is sent that the balance does not cover all answers in full. */
function BalanceShared({ models, priceOf }: Pick<ModelChipsProps, 'models' | 'priceOf'>) {
  const t = useTranslations('compare')
  const money = useMoney()
  const { shown } = useBalance()
  const tokenCount = sharedTokenCount(models, priceOf, shown?.amountUsd ?? null)
  // With an empty balance, the shortage notice explains it.
  if (tokenCount === null || !shown || shown.amountUsd <= 0) return null
  const count = wordsOfTokens(tokenCount)
  const balance = money.balance(shown.amountUsd)
  return (
    <Status className={styles.hint}>
      {tokenCount < USEFUL_ANSWER_TOKEN_COUNT ? t('tooLittle', { balance }) : t('shared', { balance, count })}
    </Status>
  )
}
