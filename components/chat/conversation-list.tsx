'use client'

import { useLocale, useTranslations } from 'next-intl'
import { type RefCallback, useCallback, useDeferredValue, useEffect, useState } from 'react'
import layout from '@/components/ui/layout.module.css'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { usePathname } from '@/lib/i18n/navigation'
import type { HistoryEntry } from '@/lib/local/archive/history-entry'
import { historyStore } from '@/lib/local/archive/history-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { ConversationItem } from './conversation-item'
import styles from './conversation-list.module.css'
import { type DayGroup, groupByDay } from './group-by-day'

interface ConversationListProps {
  onOpened?: () => void
}

/** Every conversation of this browser, newest first, with search over all that was said. */
export function ConversationList({ onOpened }: ConversationListProps) {
  const t = useTranslations('conversations')
  const entries = useStore(historyStore)
  const selectedId = useStore(selectedConversationStore)?.id ?? null
  const isChat = usePathname() === '/'
  const [query, setQuery] = useState('')
  const deferredQuery = useDeferredValue(query.trim())

  useEffect(() => {
    void historyStore.load()
  }, [])

  const renderItem = (entry: HistoryEntry, found?: { query: string; excerpt: string }) => (
    <ConversationItem
      key={entry.id}
      entry={entry}
      found={found}
      isSelected={isChat && entry.id === selectedId}
      onOpened={onOpened}
    />
  )

  return (
    <>
      {entries.length > 0 && (
        <TextInput
          type="search"
          className={styles.search}
          aria-label={t('search')}
          placeholder={t('search')}
          value={query}
          onChange={event => setQuery(event.target.value)}
        />
      )}
      <div className={styles.list}>
        {deferredQuery === '' ? (
          <Days entries={entries} renderItem={renderItem} />
        ) : (
          <SearchResults query={deferredQuery} renderItem={renderItem} />
        )}
        {entries.length === 0 && <p className={styles.empty}>{t('none')}</p>}
      </div>
    </>
  )
}

interface DaysProps {
  entries: readonly HistoryEntry[]
  renderItem: (entry: HistoryEntry) => React.ReactNode
}

function Days({ entries, renderItem }: DaysProps) {
  const { shownCount, endRef } = useGrowingList()
  return (
    <>
      {groupByDay(entries.slice(0, shownCount), new Date()).map(group => (
        <section key={group.day.getTime()}>
          <h2 className={styles.day}>
            <DayName group={group} />
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
  renderItem: (entry: HistoryEntry, found: { query: string; excerpt: string }) => React.ReactNode
}

function SearchResults({ query, renderItem }: SearchResultsProps) {
  const t = useTranslations('conversations')
  const results = historyStore.search(query)
  if (results.length === 0) return <p className={styles.empty}>{t('nothingFound', { query })}</p>
  return (
    <ul className={layout.list}>
      {results.map(({ entry, excerpt }) => renderItem(entry, { query, excerpt }))}
    </ul>
  )
}

function DayName({ group }: { group: DayGroup<HistoryEntry> }) {
  const t = useTranslations('conversations')
  const locale = useLocale()
  if (group.daysAgo <= 0) return t('today')
  if (group.daysAgo === 1) return t('yesterday')
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(group.day)
}

/** More rows than a tall screen shows; a history of thousands must not be laid out to open a page. */
const ROW_COUNT_STEP = 60

/**
 * How many rows of a long list to show: a screenful, and more whenever `endRef` comes into view. Give the
 * element at the end `shownCount` as its key, so that one that stays in view is seen again.
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
