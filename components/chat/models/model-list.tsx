import { Info, Star } from 'lucide'
import { useTranslations } from 'next-intl'
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import type { CuratedRole } from '@/lib/catalogue/domain/curated-roles'
import type { ShortAnswer } from '@/lib/exchange/client/outgoing'
import { whenIdle } from '@/lib/local/when-idle'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import { ModelOption } from './model-option'
import styles from './models.module.css'

export interface ListSection {
  /** Null if there is only one section. */
  readonly name: 'favourites' | 'recent' | CuratedRole | 'all' | null
  readonly models: readonly ChatModel[]
}

interface ModelListProps {
  id: string
  sections: readonly ListSection[]
  activeIndex: number
  chosenIds: readonly string[]
  isMultiple: boolean
  isLong: boolean
  favouriteIds: readonly string[]
  /** Null if the option itself shows the price of an everyday message. */
  priceOf: ((model: ChatModel) => Nano | null) | null
  shortOf: (model: ChatModel) => ShortAnswer | null
  onChoose: (model: ChatModel) => void
  onDetails: (model: ChatModel) => void
  onFavourite: (model: ChatModel) => void
}

/** The row height of the stylesheet, so that positions are known before rows are rendered. */
const ROW_REM = 3.5
const HEAD_REM = 2.25
/** Extra rows above and below the visible ones, for a quick scroll. They are added once the list is open. */
const SPARE_COUNT = 8
const SPARE_TIMEOUT_MS = 300

interface Row {
  readonly model: ChatModel
  readonly index: number
  readonly topRem: number
}

/** A list of hundreds, of which only the visible rows and a few more are rendered. */
export function ModelList(props: ModelListProps) {
  const { id, sections, activeIndex, chosenIds, favouriteIds, priceOf, shortOf } = props
  const t = useTranslations('chat')
  const scrollerRef = useRef<HTMLDivElement>(null)
  const placed = useMemo(() => place(sections), [sections])
  const [first, setFirst] = useState(0)
  const [count, setCount] = useState(rowsAtFirst)
  const [spareCount, setSpareCount] = useState(0)
  const active = placed.rows[activeIndex]

  // The list is rendered before its dialog opens; measuring it then would force a useless layout.
  const isLaidOut = useRef(false)
  const measure = useCallback(() => {
    const scroller = scrollerRef.current
    if (!scroller) return
    isLaidOut.current = true
    const rowPx = ROW_REM * remPx()
    setFirst(Math.floor(scroller.scrollTop / rowPx))
    setCount(Math.ceil((scroller.clientHeight || window.innerHeight) / rowPx))
  }, [])
  useEffect(() => whenIdle(() => setSpareCount(SPARE_COUNT), SPARE_TIMEOUT_MS), [])
  // The height changes with a phone's keyboard, or when the device is rotated.
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller) return
    if (typeof ResizeObserver === 'undefined') return measure()
    const observer = new ResizeObserver(measure)
    observer.observe(scroller)
    return () => observer.disconnect()
  }, [measure])

  const activeTop = active?.topRem
  const activeId = active?.model.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list is scrolled to its active model
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || activeTop === undefined || !isLaidOut.current) return
    const [top, bottom] = [activeTop * remPx(), (activeTop + ROW_REM) * remPx()]
    if (activeIndex === 0) scroller.scrollTop = 0
    else if (top < scroller.scrollTop) scroller.scrollTop = top
    else if (bottom > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = bottom - scroller.clientHeight
    // In a low window the area around the list scrolls too.
    document.getElementById(`${id}-${activeId}`)?.scrollIntoView?.({ block: 'nearest' })
    measure()
  }, [id, activeIndex, activeId, activeTop, sections, measure])

  // Section heads take the room of at most this many rows.
  const isNear = (row: Row) => {
    const place = row.topRem / ROW_REM
    return row === active || (place >= first - spareCount - 1 && place < first + count + spareCount)
  }
  const option = (row: Row) => (
    <ModelOption
      key={row.model.id}
      id={`${id}-${row.model.id}`}
      model={row.model}
      topRem={row.topRem}
      position={row.index + 1}
      count={placed.rows.length}
      price={priceOf ? priceOf(row.model) : undefined}
      short={shortOf(row.model)}
      isFavourite={favouriteIds.includes(row.model.id)}
      isChosen={chosenIds.includes(row.model.id)}
      isActive={row === active}
      onChoose={props.onChoose}
    />
  )
  const shown = placed.rows.filter(isNear)
  return (
    <div
      ref={scrollerRef}
      className={styles.scroller}
      data-long={props.isLong || undefined}
      onScroll={measure}
    >
      <div className={styles.rows} style={{ height: `${placed.heightRem}rem` }}>
        <div
          id={id}
          role="listbox"
          aria-label={t('models')}
          aria-multiselectable={props.isMultiple || undefined}
        >
          {placed.sections.map(({ name, topRem, rows }) => {
            const near = rows.filter(isNear)
            if (name === null) return near.map(option)
            if (near.length === 0) return null
            return (
              <div key={name} role="group" aria-label={t(`picker.sections.${name}`)}>
                <div className={styles.head} style={{ top: `${topRem}rem` }} aria-hidden="true">
                  {t(`picker.sections.${name}`)}
                </div>
                {near.map(option)}
              </div>
            )
          })}
        </div>
        {/* Outside the list box, which may contain nothing but options. */}
        {shown.map(row => (
          <RowActions
            key={row.model.id}
            aboutId={row === active ? `${id}-about` : undefined}
            model={row.model}
            topRem={row.topRem}
            isFavourite={favouriteIds.includes(row.model.id)}
            onFavourite={props.onFavourite}
            onDetails={props.onDetails}
          />
        ))}
      </div>
    </div>
  )
}

interface RowActionsProps extends Pick<ModelListProps, 'onFavourite' | 'onDetails'> {
  /** Given to the row that the keyboard is on, the only one that Tab reaches. */
  aboutId: string | undefined
  model: ChatModel
  topRem: number
  isFavourite: boolean
}

const RowActions = memo(function RowActions(props: RowActionsProps) {
  const { aboutId, model, isFavourite } = props
  const t = useTranslations('chat')
  const tabIndex = aboutId === undefined ? -1 : 0
  return (
    <div className={styles.actions} style={{ top: `${props.topRem}rem` }}>
      <IconButton
        label={t('picker.favourite', { model: model.name })}
        aria-pressed={isFavourite}
        tabIndex={tabIndex}
        icon={<Icon icon={Star} size={18} fill={isFavourite ? 'currentColor' : 'none'} />}
        onClick={() => props.onFavourite(model)}
      />
      <IconButton
        id={aboutId}
        label={t('picker.about', { model: model.name })}
        tabIndex={tabIndex}
        icon={<Icon icon={Info} size={18} />}
        onClick={() => props.onDetails(model)}
      />
    </div>
  )
})

/** An estimate of the visible rows until the list can be measured. */
const rowsAtFirst = (): number => Math.ceil((window.innerHeight * 0.7) / (ROW_REM * 16))

function remPx(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
}

/** The position of every row and head, from the top. */
function place(sections: readonly ListSection[]) {
  const rows: Row[] = []
  let topRem = 0
  const placed = sections.map(({ name, models }) => {
    const sectionTop = topRem
    if (name !== null) topRem += HEAD_REM
    const own = models.map((model, offset) => ({
      model,
      index: rows.length + offset,
      topRem: topRem + offset * ROW_REM,
    }))
    topRem += models.length * ROW_REM
    rows.push(...own)
    return { name, topRem: sectionTop, rows: own }
  })
  return { rows, sections: placed, heightRem: topRem }
}
