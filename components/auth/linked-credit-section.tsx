'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { moveCredit } from '@/components/credit/move-credit'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import {
  type LinkedCredit,
  linkCredit,
  showLinkedCredit,
  unlinkCredit,
} from '@/lib/auth/client/linked-credit'
import { isAnswering } from '@/lib/exchange/client/pending-exchanges'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore, isFollowed } from '@/lib/local/credit-replacement'
import { formatMoney } from '@/lib/money/format-money'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { useGuardedAction } from './step-up'

interface LinkedCreditSectionProps {
  /** The account may have another credit now, or none. */
  onChange?: () => void
}

/** Shows the account's credit and this browser's. Asks for the second factor first. */
export function LinkedCreditSection({ onChange }: LinkedCreditSectionProps) {
  const t = useTranslations('auth.credit')
  const carry = useTranslations('carry')
  const locale = useLocale()
  const { run, pending, error, stepUp } = useGuardedAction()
  const own = useStore(creditIdStore)
  const replacement = useStore(creditReplacementStore)
  const [linked, setLinked] = useState<LinkedCredit | null>(null)
  const [movedUsd, setMovedUsd] = useState<number | null>(null)
  const [question, setQuestion] = useState<Question | null>(null)

  const attempt = async (action: () => Promise<AuthResult<LinkedCredit>>) => {
    const answer = await run(async () => {
      const result = await action()
      // Another device has changed the link. Trying again would fail again as long as the old one is shown.
      if (result.error === 'busy') setLinked((await showLinkedCredit()).data)
      return result
    })
    setMovedUsd(null)
    if (!answer) return
    setLinked(answer)
    if (action !== showLinkedCredit) onChange?.()
  }

  const linkedId = linked?.creditId ?? null
  /** The linked credit has leaked, and was replaced: nothing must be moved back to it, and nothing is lost with it. */
  const wasReplaced =
    replacement !== null && replacement.state !== 'prepared' && replacement.fromCreditId === linkedId
  const differs = linkedId !== null && own !== null && linkedId !== own && !wasReplaced
  const canLink = linked !== null && linked.state !== 'unreadable' && own !== null && own !== linkedId
  const linkLabel = linkedId === null ? t('linkThis') : t('replace')
  /** Asks before a credit that is not in this browser, and may be nowhere else, is no longer linked. */
  const change = (label: string, action: () => Promise<AuthResult<LinkedCredit>>) => {
    const run = () => void attempt(action)
    if (linked === null || linked.state === 'none' || linkedId === own || wasReplaced) return run()
    setQuestion({ title: t('dropTitle'), text: t('dropText'), label, run })
  }
  /** Another device may have unlinked it meanwhile: only what is linked is found on the next device. */
  const lookAgain = async () => {
    const { data } = await showLinkedCredit()
    if (data) setLinked(data)
  }
  const textOfUse = (creditId: string) =>
    [
      t('useHint'),
      isFollowed(replacement, creditId) && carry('replaceFollowed'),
      isAnswering(creditId) && carry('replaceAnswering'),
    ]
      .filter(Boolean)
      .join(' ')
  const take = (creditId: string) => {
    // Another tab may have made or taken a credit that nobody was asked about.
    if (creditIdStore.getSnapshot() === own) creditIdStore.write(creditId)
    else creditIdStore.refresh()
    void lookAgain()
  }
  return (
    <section className={styles.section} aria-labelledby="linked-credit-title">
      <h3 id="linked-credit-title" tabIndex={-1} className={styles.title}>
        {t('title')}
      </h3>
      <p className={text.muted}>{t('lead')}</p>
      <AuthError error={error} />
      {stepUp}
      {linked && <Status>{wasReplaced ? t('replaced') : linkedCreditText(linked, own, t)}</Status>}
      {movedUsd !== null && <Status>{t('moved', { amount: formatMoney(movedUsd, locale) })}</Status>}
      {differs && (
        <MoveBoth
          ownCreditId={own}
          linkedCreditId={linkedId}
          onMoved={usd => {
            setMovedUsd(usd)
            void lookAgain()
          }}
        />
      )}
      <div className={styles.row}>
        {!linked && (
          <Button variant="quiet" loading={pending} onClick={() => void attempt(showLinkedCredit)}>
            {t('show')}
          </Button>
        )}
        {canLink && (
          <Button
            variant={differs ? 'quiet' : 'primary'}
            loading={pending}
            onClick={() => change(linkLabel, () => linkCredit(own, linkedId))}
          >
            {linkLabel}
          </Button>
        )}
        {linkedId !== null && linkedId !== own && !wasReplaced && (
          <Button
            variant="quiet"
            onClick={() => {
              const run = () => take(linkedId)
              if (own === null) run()
              else setQuestion({ title: t('useTitle'), text: textOfUse(own), label: t('use'), run })
            }}
          >
            {t('use')}
          </Button>
        )}
        {linked && linked.state !== 'none' && (
          <Button
            variant="quiet"
            loading={pending}
            onClick={() => change(t('unlink'), () => unlinkCredit(linkedId))}
          >
            {t('unlink')}
          </Button>
        )}
      </div>
      {differs && <p className={text.hint}>{t('useHint')}</p>}
      {question && (
        <ConfirmDialog
          title={question.title}
          label={question.label}
          onConfirm={() => {
            setQuestion(null)
            question.run()
          }}
          onClose={() => setQuestion(null)}
        >
          <p className={text.text}>{question.text}</p>
        </ConfirmDialog>
      )}
      <p className={text.hint}>{t('privacy')}</p>
    </section>
  )
}

/** Asked before a credit, and its money with it, may be nowhere any more. */
interface Question {
  title: string
  text: string
  label: string
  run: () => void
}

/** How the account's credit relates to this browser's. */
function linkedCreditText(
  linked: LinkedCredit,
  ownCreditId: string | null,
  t: ReturnType<typeof useTranslations<'auth.credit'>>,
): string {
  if (linked.state === 'unreadable') return t('unreadable')
  if (linked.creditId === null) return ownCreditId === null ? `${t('none')} ${t('noneHere')}` : t('none')
  if (ownCreditId === null) return t('otherOnly')
  return linked.creditId === ownCreditId ? t('here') : t('other')
}

interface MoveBothProps {
  ownCreditId: string
  linkedCreditId: string
  onMoved: (movedUsd: number) => void
}

/** Merges this browser's credit into the linked one, which then takes its place here. */
function MoveBoth({ ownCreditId, linkedCreditId, onMoved }: MoveBothProps) {
  const t = useTranslations('auth.credit')
  const { busy, errorCode, run } = useRequest()
  const move = () => run(async () => onMoved(await moveCredit(ownCreditId, linkedCreditId)))

  return (
    <div className={styles.stack}>
      <p className={text.hint}>{t('moveHint')}</p>
      <div className={styles.row}>
        <Button loading={busy} onClick={() => void move()}>
          {t('move')}
        </Button>
      </div>
      <RequestProblem errorCode={errorCode} />
    </div>
  )
}
