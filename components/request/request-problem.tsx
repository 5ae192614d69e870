'use client'

import { useTranslations } from 'next-intl'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import text from '@/components/ui/text.module.css'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'
import styles from './request-problem.module.css'

interface RequestProblemProps {
  errorCode: CallErrorCode | null
  onRetry?: () => void
}

/** Says what went wrong and what to do. Screen readers announce it when it appears. */
export function RequestProblem({ errorCode, onRetry }: RequestProblemProps) {
  const t = useTranslations('common')
  const errorText = useErrorText()
  return (
    <div role="alert" tabIndex={-1} className={styles.problem}>
      {errorCode !== null && (
        <>
          <p className={text.problem}>{errorText(errorCode)}</p>
          {onRetry && (
            <Button ref={keepPlace} variant="quiet" size="small" onClick={onRetry}>
              {t('retry')}
            </Button>
          )}
        </>
      )}
    </div>
  )
}

/** The button goes with the problem: a focus on it stays in this place, not at the top of the page. */
function keepPlace(button: HTMLButtonElement) {
  return () => {
    if (document.activeElement === button) button.closest<HTMLElement>('[role=alert]')?.focus()
  }
}
