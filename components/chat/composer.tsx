import { ArrowUp, Paperclip } from 'lucide'
import { useTranslations } from 'next-intl'
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { PromptButtons } from '@/components/prompts/prompt-buttons'
import { DictationButton } from '@/components/speech/dictation-button'
import { FileInput } from '@/components/ui/file-input'
import { hasCoarsePointer, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { lazyPart } from '@/components/ui/lazy-part'
import { LiveRegion } from '@/components/ui/live-region'
import { Status } from '@/components/ui/status'
import { useStore } from '@/components/ui/use-store'
import { fitsWindow } from '@/lib/exchange/client/context-window'
import { hasAttachments } from '@/lib/exchange/client/web-parts'
import type { Conversation } from '@/lib/local/domain/conversation'
import { askedPriceStore, withdrawPrice } from './asked-price'
import type { ChatModel } from './chat-model'
import styles from './composer.module.css'
import { canSendDocuments } from './draft-document'
import { type Draft, NEW_CHAT } from './draft-store'
import { DropZone } from './drop-zone'
import { MessageBox } from './message-box'
import { LazyExplainedPrice } from './price/about-price'
import { NextPrice } from './price/next-price'
import { ShortageNotice } from './shortage-notice'
import { StopButton } from './stop-button'
import type { AskState } from './use-ask'
import { useAttachFiles } from './use-attach-files'
import type { ModelChoice } from './use-chosen-model'
import type { NextMessage } from './use-next-message'

/** Loaded with the first document, not with the page. */
const DraftDocuments = lazyPart(async () => (await import('./draft-documents')).DraftDocuments)

/** Loaded with the first picture. */
const DraftPictures = lazyPart(async () => (await import('./draft-pictures')).DraftPictures)

/** Loaded when several models are chosen. */
const ChosenModels = lazyPart(async () => (await import('./compare/chosen-models')).ChosenModels)

/** Loaded with the first price that needs consent, which waits for it. */
const PriceQuestion = lazyPart(async () => (await import('./price-question')).PriceQuestion, 'with-error')

/** Loaded with the first slash. */
const SlashPrompts = lazyPart(async () => (await import('@/components/prompts/slash-prompts')).SlashPrompts)

/** Loaded for attachments, long messages, and models that draw. */
const UnsentNotice = lazyPart(async () => (await import('./unsent-notice')).UnsentNotice)

interface ComposerProps {
  boxRef: RefObject<HTMLTextAreaElement | null>
  conversation: Conversation | null
  draft: Draft
  onDraft: (draft: Draft) => void
  choice: ModelChoice
  models: readonly ChatModel[]
  next: NextMessage
  /** The state of anything that is being asked here, not only of the draft. */
  asking: AskState
  isAnswering: boolean
  onSend: () => void
  onStop: () => void
}

export function Composer(props: ComposerProps) {
  const { boxRef, conversation, draft, onDraft, models, next, isAnswering, onSend, onStop } = props
  const { model, missingId, compared, choose, compare } = props.choice
  const { shortage, isAsking, ask } = props.asking
  const { most, context, priceOf } = next
  const t = useTranslations('chat')
  const attach = useAttachFiles(conversation?.id ?? NEW_CHAT, model)
  const pictureReadings = attach.readings.filter(({ isPicture }) => isPicture)
  const documentReadings = attach.readings.filter(({ isPicture }) => !isPicture)
  const takesFiles = model?.takesFiles === true
  const attachmentCount = draft.pictureUrls.length + draft.documents.length
  // A picture alone is no message to a model that does not receive it.
  const sentCount = model?.takesPictures === false ? draft.documents.length : attachmentCount
  const isEmpty = draft.text.trim() === '' && sentCount === 0
  const isReady = attach.readings.length === 0 && canSendDocuments(draft.documents, takesFiles)
  // Image models draw from text alone.
  const isDrawable = !model?.draws || (draft.text.trim() !== '' && attachmentCount === 0)
  const mayLeaveOut = model?.draws
    ? (conversation?.messages.length ?? 0) > 0 || attachmentCount > 0
    : context?.messages.some(
        message => hasAttachments(message) || !fitsWindow(message, model?.windowTokens ?? null),
      )
  const canSend = !isEmpty && isReady && isDrawable && model !== null && !(isAnswering && compared.length > 0)

  const isAsked = useStore(askedPriceStore) !== null
  const conversationId = conversation?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: consent to a price is for exactly these
  useEffect(() => withdrawPrice, [draft, model?.id, conversationId])

  const [isExplaining, setExplaining] = useState(false)
  const canExplain = context !== null && most !== null && compared.length === 0

  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (canSend) onSend()
    // Without the focus the on-screen keyboard closes, and the answer has the window.
    if (hasCoarsePointer()) boxRef.current?.blur()
    else boxRef.current?.focus()
  }

  return (
    <form className={styles.composer} onSubmit={send}>
      <DropZone onFiles={attach.add} />
      <LiveRegion>{attachmentCount > 0 && t('attachedCount', { count: attachmentCount })}</LiveRegion>
      {isExplaining && canExplain && model && (
        <LazyExplainedPrice
          model={model}
          context={context}
          conversation={conversation}
          summarising={{ models, ask }}
          onClose={() => setExplaining(false)}
        />
      )}
      <div className={styles.notices}>
        {shortage && <ShortageNotice shortage={shortage} />}
        {isAsked && <PriceQuestion />}
        {model && missingId && compared.length === 0 && (
          <Status className={styles.unsent}>{t('missingModel', { id: missingId, model: model.name })}</Status>
        )}
        {compared.length > 0 && (
          <ChosenModels
            models={compared}
            priceOf={priceOf}
            onRemove={id => compare(compared.flatMap(one => (one.id === id ? [] : one.id)))}
          />
        )}
        {model &&
          mayLeaveOut &&
          (compared.length > 0 ? compared : [model]).map(one => (
            <UnsentNotice
              key={one.id}
              context={context}
              hasAttachments={attachmentCount > 0}
              model={one}
              models={compared.length > 0 ? [] : models}
              onModel={choose}
            />
          ))}
      </div>
      <div className={styles.box}>
        {draft.text.startsWith('/') && (
          <SlashPrompts boxRef={boxRef} text={draft.text} onText={text => onDraft({ ...draft, text })} />
        )}
        <div className={styles.attached}>
          {draft.pictureUrls.length + pictureReadings.length > 0 && (
            <DraftPictures
              urls={draft.pictureUrls}
              readings={pictureReadings}
              onRemove={url =>
                onDraft({ ...draft, pictureUrls: draft.pictureUrls.filter(one => one !== url) })
              }
            />
          )}
          {draft.documents.length + documentReadings.length > 0 && (
            <DraftDocuments
              documents={draft.documents}
              readings={documentReadings}
              takesFiles={takesFiles}
              onChange={documents => onDraft({ ...draft, documents })}
            />
          )}
        </div>
        <MessageBox
          ref={boxRef}
          id={MESSAGE_BOX_ID}
          text={draft.text}
          placeholder={model?.draws ? t('picturePlaceholder') : t('messagePlaceholder')}
          onText={text => onDraft({ ...draft, text })}
          onSend={send}
          onFiles={attach.add}
        />
        <div className={styles.tools}>
          {/* Rendered from the start, so that what loads with the model moves nothing. */}
          <PromptButtons conversation={conversation} />
          {!model?.draws && <AttachButton onFiles={attach.add} />}
          <DictationButton draftId={conversation?.id ?? NEW_CHAT} />
          {(!isAnswering || !isEmpty) && (
            <NextPrice
              next={next}
              model={model}
              compared={compared}
              // In an empty chat, the model's own price in the bar is all there is to say.
              isTold={!shortage && (conversation !== null || !isEmpty)}
              onExplain={canExplain ? () => setExplaining(true) : null}
            />
          )}
          {isAnswering && (
            <StopButton conversation={conversation} models={models} isBeside={!isEmpty} onStop={onStop} />
          )}
          {/* During an answer it appears only while text is being written, so that a press on Stop never hits Send. */}
          {(!isAnswering || !isEmpty) && (
            <IconButton
              type="submit"
              label={t('send')}
              title={isAnswering ? t('queue.sendLater') : undefined}
              icon={<Icon icon={ArrowUp} size={20} />}
              className={shortage ? `${styles.send} ${styles.second}` : styles.send}
              disabled={!canSend}
              aria-disabled={isAsking || undefined}
            />
          )}
        </div>
      </div>
    </form>
  )
}

/**
 * The file types that dialogs offer first, whatever the model; the composer says which models accept pictures. What is
 * accepted depends on the content. Source code has too many extensions to list.
 */
const FILES =
  'image/png,image/jpeg,image/webp,image/gif,application/pdf,.pdf,text/*,application/json,application/xml,.md,.csv,.tsv,.json,.jsonl,.xml,.yaml,.yml,.toml,.log,.tex,.sql,.ts,.tsx,.js,.jsx,.py,.rb,.go,.rs,.java,.c,.h,.cpp,.cs,.php,.sh,.ini,.conf,.svg,.srt,.vtt'

function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const t = useTranslations('chat')
  const inputRef = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        size="small"
        label={t('attachFile')}
        icon={<Icon icon={Paperclip} size={18} />}
        onClick={() => inputRef.current?.click()}
      />
      <FileInput ref={inputRef} accept={FILES} multiple onFiles={onFiles} />
    </>
  )
}
