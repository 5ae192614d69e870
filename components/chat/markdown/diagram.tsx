import { useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { useErrorText } from '@/components/shell/use-error-text'
import { Status } from '@/components/ui/status'
import { DIAGRAM_FRAME_PATH, type DiagramRequest, readDiagramReply } from '@/lib/diagrams/diagram-frame'
import styles from './code-block.module.css'

/** A file of the build. Of what a route answers Next keeps copies for each reader, and this one has 3 MB. */
const LIBRARY = new URL('@mermaid-js/tiny/dist/mermaid.tiny.js', import.meta.url)

/** Three megabytes over a slow network. */
const LOADING_MS_MAX = 30_000

interface DiagramProps {
  source: string
}

/** A diagram from an answer, drawn in a frame without an origin that receives nothing but its source. */
export function Diagram({ source }: DiagramProps) {
  const t = useTranslations('chat')
  const errorText = useErrorText()
  const frameRef = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(0)
  const [failure, setFailure] = useState<'failed' | 'lost' | null>(null)
  useEffect(() => {
    const onMessage = ({ source: sender, data }: MessageEvent) => {
      const frame = frameRef.current?.contentWindow
      if (!frame || sender !== frame) return
      const reply = readDiagramReply(data)
      if (reply === 'ready') {
        const request: DiagramRequest = { source, isDark: isPageDark() }
        // The frame has no origin to name as target.
        frame.postMessage(request, '*')
        clearTimeout(timer)
      } else if (reply === 'failed' || reply === 'lost') setFailure(reply)
      else if (reply) setHeight(reply.height)
    }
    // A frame that is lost itself tells nothing.
    const timer = setTimeout(() => setFailure('lost'), LOADING_MS_MAX)
    window.addEventListener('message', onMessage)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('message', onMessage)
    }
  }, [source])
  if (failure !== null) {
    return (
      <Status className={styles.notDrawn}>
        {failure === 'failed' ? t('reading.diagramFailed') : errorText('part_missing')}
      </Status>
    )
  }
  return (
    <iframe
      ref={frameRef}
      className={styles.diagram}
      title={t('reading.diagram')}
      src={`${DIAGRAM_FRAME_PATH}#${LIBRARY.pathname}`}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      height={height}
      data-not-copied
    />
  )
}

/** `light dark` follows the system. */
function isPageDark(): boolean {
  const { colorScheme } = getComputedStyle(document.documentElement)
  if (!colorScheme.includes('light')) return colorScheme.includes('dark')
  return colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches
}
