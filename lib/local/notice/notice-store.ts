import { createExternalStore } from '../storage/external-store'

export type NoticeIcon = 'info' | 'success' | 'warning' | 'error'

/** The one transient notice: hidden at first, changed by `update`. */
export interface NoticeState {
  hidden: boolean
  icon: NoticeIcon
  text: string
  /** One action that the person can take, such as undoing. */
  action?: { label: string; run: () => void }
}

const INITIAL: NoticeState = { hidden: true, icon: 'info', text: '' }

const store = createExternalStore<NoticeState>(INITIAL)

export const noticeStore = {
  subscribe: store.subscribe,
  getSnapshot: store.getSnapshot,
  getServerSnapshot: store.getServerSnapshot,
  update: (change: Partial<NoticeState>) => store.set({ ...store.getSnapshot(), ...change }),
  /** Returns a function that hides this notice, if it is still the one that is shown. */
  show: (icon: NoticeIcon, text: string, action?: NoticeState['action']) => {
    const shown = { hidden: false, icon, text, action }
    store.set(shown)
    return () => {
      if (store.getSnapshot() === shown) noticeStore.hide()
    }
  },
  /** Says what was removed, until it is brought back with the notice's button. */
  offerUndo: (text: string, label: string, undo: () => void) => {
    const run = () => {
      undo()
      noticeStore.hide()
    }
    noticeStore.show('info', text, { label, run })
  },
  hide: () => store.set({ ...store.getSnapshot(), hidden: true, action: undefined }),
}
