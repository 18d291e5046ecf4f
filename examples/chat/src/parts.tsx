import { type CSSProperties, useEffect, useEffectEvent, useRef } from 'react';
import { toAdvice } from './problems.ts';

/** Initials on a colour that belongs to the name. */
export function Avatar({ name }: { name: string }) {
  const initials = name.split(/[\s._-]+/, 2).map((word) => [...word][0]);
  const hue = [...name].reduce((sum, one) => sum + 137 * (one.codePointAt(0) ?? 0), 0);
  return (
    <span className="avatar" style={{ '--hue': hue } as CSSProperties} aria-hidden>
      {initials.join('').toUpperCase()}
    </span>
  );
}

export const Action = ({ label, onClick }: { label: string; onClick(): unknown }) => (
  <button type="button" className="action" onClick={() => void onClick()}>
    {label}
  </button>
);

/** At the end of a list: asks for the next page when it comes into view, and again while it stays there. */
export function More({ count, onVisible }: { count: number; onVisible(): void }) {
  const ref = useRef<HTMLParagraphElement>(null);
  const ask = useEffectEvent(onVisible);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when the list has grown
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && ask());
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [count]);
  return (
    <p ref={ref} className="more">
      Loading …
    </p>
  );
}

interface ProblemProps {
  readonly error: unknown;
  readonly label?: string;
  onClick(): unknown;
}

/** What went wrong, and a way on; nothing without an error. */
export const Problem = ({ error, label = 'Try again', onClick }: ProblemProps) =>
  error ? (
    <p className="problem" role="alert">
      {toAdvice(error)} <Action label={label} onClick={onClick} />
    </p>
  ) : null;
