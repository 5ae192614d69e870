'use client'

import { useLocale, useTranslations } from 'next-intl'
import {
  type KeyboardEvent,
  type RefCallback,
  useCallback,
  useDeferredValue,
  useEffect,
  useState,
} from 'react'
import { dateFormat } from '@/components/ui/date-format'
import layout from '@/components/ui/layout.module.css'
import { LiveRegion } from '@/components/ui/live-region'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { isChatAddress } from '@/lib/i18n/chat-address'
import { usePathname } from '@/lib/i18n/navigation'
import type { HistoryEntry } from '@/lib/local/archive/history-entry'
import { historyStore } from '@/lib/local/archive/history-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { ConversationItem, conversationLinks } from './conversation-item'
import styles from './conversation-list.module.css'
import { groupByPeriod, type PeriodGroup } from './group-by-period'

interface ConversationListProps {
  onOpened?: () => void
}

/** All conversations of this browser, newest first, with full-text search. */
export function ConversationList({ onOpened }: ConversationListProps) {
  const t = useTranslations('conversations')
  const entries = useStore(historyStore)
  const selectedId = useStore(selectedConversationStore)?.id ?? null
  const isChat = isChatAddress(usePathname())
  const [query, setQuery] = useState('')
  const deferredQuery = useDeferredValue(query.trim())
  const [lastFocusedId, setLastFocusedId] = useState<string | null>(null)

  const results = deferredQuery === '' ? [] : historyStore.search(deferredQuery)

  useEffect(() => {
    void historyStore.load()
  }, [])

  const renderItems: RenderItems = (shown, found) => {
    const tabStopId =
      [lastFocusedId, selectedId].find(id => shown.some(entry => entry.id === id)) ?? shown[0]?.id
    return entry => (
      <ConversationItem
        key={entry.id}
        entry={entry}
        found={found?.(entry)}
        isSelected={isChat && entry.id === selectedId}
        isTabStop={entry.id === tabStopId}
        onOpened={onOpened}
      />
    )
  }

  return (
    <>
      {entries.length > 0 && (
        <TextInput
          type="search"
          className={styles.search}
          data-shortcut="search"
          dir="auto"
          aria-label={t('search')}
          placeholder={t('search')}
          value={query}
          onChange={event => setQuery(event.target.value)}
        />
      )}
      <LiveRegion>
        {deferredQuery !== '' &&
          (results.length > 0
            ? t('found', { count: results.length })
            : t('nothingFound', { query: deferredQuery }))}
      </LiveRegion>
      <div
        className={styles.list}
        data-conversations
        onFocus={({ target }) =>
          setLastFocusedId(target.closest<HTMLElement>('[data-conversation]')?.dataset.conversation ?? null)
        }
        onKeyDown={moveFocus}
      >
        {deferredQuery === '' ? (
          <Periods entries={entries} renderItems={renderItems} />
        ) : (
          <SearchResults query={deferredQuery} results={results} renderItems={renderItems} />
        )}
        {entries.length === 0 && <p className={styles.empty}>{t('none')}</p>}
      </div>
    </>
  )
}

/** The list is one stop for Tab. Within it, up and down move between rows, left and right within a row. */
function moveFocus(event: KeyboardEvent) {
  const { target, key } = event
  if (!(target instanceof HTMLElement) || target instanceof HTMLInputElement) return
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const row = target.closest('[data-conversation]')
  const inRow = [...(row?.querySelectorAll<HTMLElement>('a, button') ?? [])]
  const links = conversationLinks(target)
  const column = inRow.indexOf(target)
  const line = links.findIndex(link => row?.contains(link))
  const next = {
    ArrowDown: links[line + 1],
    ArrowUp: links[line - 1],
    Home: links[0],
    End: links.at(-1),
    ArrowRight: inRow[column + 1],
    ArrowLeft: inRow[column - 1],
  }[key]
  if (!next) return
  event.preventDefault()
  next.focus()
}

interface Found {
  query: string
  excerpt: string
}

/** Renders the rows that are on the screen together. */
type RenderItems = (
  shown: readonly HistoryEntry[],
  found?: (entry: HistoryEntry) => Found | undefined,
) => (entry: HistoryEntry) => React.ReactNode

interface PeriodsProps {
  entries: readonly HistoryEntry[]
  renderItems: RenderItems
}

function Periods({ entries, renderItems }: PeriodsProps) {
  const { shownCount, endRef } = useGrowingList()
  const shown = entries.slice(0, shownCount)
  const renderItem = renderItems(shown)
  return (
    <>
      {groupByPeriod(shown, new Date()).map(group => (
        <section key={group.begin.getTime()}>
          <h2 className={styles.period}>
            <PeriodName {...group} />
          </h2>
          <ul className={layout.list}>{group.entries.map(entry => renderItem(entry))}</ul>
        </section>
      ))}
      {shownCount < entries.length && <div key={shownCount} ref={endRef} className={styles.end} />}
    </>
  )
}

interface SearchResultsProps {
  query: string
  results: ReturnType<typeof historyStore.search>
  renderItems: RenderItems
}

function SearchResults({ query, results, renderItems }: SearchResultsProps) {
  const t = useTranslations('conversations')
  if (results.length === 0) return <p className={styles.empty}>{t('nothingFound', { query })}</p>
  const excerpts = new Map(results.map(({ entry, excerpt }) => [entry.id, excerpt]))
  const shown = results.map(({ entry }) => entry)
  const renderItem = renderItems(shown, ({ id }) => ({ query, excerpt: excerpts.get(id) ?? '' }))
  return <ul className={layout.list}>{shown.map(entry => renderItem(entry))}</ul>
}

function PeriodName({ name, begin }: Pick<PeriodGroup<HistoryEntry>, 'name' | 'begin'>) {
  const t = useTranslations('conversations')
  const locale = useLocale()
  return name === 'month' ? dateFormat(locale, { month: 'long', year: 'numeric' }).format(begin) : t(name)
}

/** More rows than a tall screen shows. Thousands must not be laid out just to open a page. */
const ROW_COUNT_STEP = 60

/**
 * How many rows of a long list to render: a screen, and more whenever `endRef` comes into view. Give the element at the
 * end `shownCount` as its key, so that it is observed anew if it stays in view.
 */
function useGrowingList(): { shownCount: number; endRef: RefCallback<HTMLElement> } {
  const [shownCount, setShownCount] = useState(ROW_COUNT_STEP)
  const endRef = useCallback((end: HTMLElement | null) => {
    if (!end) return
    const observer = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) setShownCount(count => count + ROW_COUNT_STEP)
    })
    observer.observe(end)
    return () => observer.disconnect()
  }, [])
  return { shownCount, endRef }
}
