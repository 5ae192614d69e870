import { useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { Status } from '@/components/ui/status'
import { DIAGRAM_FRAME_PATH, type DiagramRequest, readDiagramReply } from '@/lib/diagrams/diagram-frame'
import styles from './code-block.module.css'

/** A file of the build. Of what a route answers Next keeps copies for each reader, and this one has 3 MB. */
const LIBRARY = new URL('@mermaid-js/tiny/dist/mermaid.tiny.js', import.meta.url)

interface DiagramProps {
  source: string
}

/** A diagram from an answer, drawn in a frame without an origin that receives nothing but its source. */
export default function Diagram({ source }: DiagramProps) {
  const t = useTranslations('chat')
  const frameRef = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(0)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const onMessage = ({ source: sender, data }: MessageEvent) => {
      const frame = frameRef.current?.contentWindow
      if (!frame || sender !== frame) return
      const reply = readDiagramReply(data)
      if (reply === 'ready') {
        const request: DiagramRequest = { source, isDark: isPageDark() }
        // The frame has no origin to name as target.
        frame.postMessage(request, '*')
      } else if (reply === 'failed') setFailed(true)
      else if (reply) setHeight(reply.height)
    }
    window.addEventListener('message', onMessage)
    return () => window.removeEventListener('message', onMessage)
  }, [source])
  if (hasFailed) {
    return <Status className={styles.notDrawn}>{t('reading.diagramFailed')}</Status>
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
