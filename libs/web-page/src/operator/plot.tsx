import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { formatNumber } from '../format.js';

interface Point {
  /** Milliseconds since 1970. */
  at: number;
  value: number;
}

const HEIGHT = 150;
const HOUR_SECONDS = 3_600;

/** A line over time. Its text says the newest value, for those who do not see the drawing. */
export function Plot({ name, points }: { name: string; points: Point[] }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot | undefined>(undefined);

  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const draw = (): void => {
      drawn.current?.destroy();
      drawn.current = new UPlot(optionsFor(element), dataOf(points), element);
    };
    draw();
    // Colours come from the style sheet, which the plot reads only once.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const resized = new ResizeObserver(() => drawn.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    scheme.addEventListener('change', draw);
    resized.observe(element);
    return () => {
      scheme.removeEventListener('change', draw);
      resized.disconnect();
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, []);
  useEffect(() => drawn.current?.setData(dataOf(points)), [points]);

  return (
    <figure>
      <figcaption>{name}</figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
    </figure>
  );
}

/** `03:04` in UTC of seconds since 1970. */
function formatMinute(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 16);
}

function dataOf(points: Point[]): UPlot.AlignedData {
  return [points.map(({ at }) => at / 1000), points.map(({ value }) => value)];
}

function optionsFor(element: HTMLElement): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_plot, _min, max) => [max - HOUR_SECONDS, max] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...axis, size: 30, space: 70, values: (_plot, times) => times.map(formatMinute) },
      { ...axis, size: 55, values: (_plot, values) => values.map((value) => formatNumber(value, 1)) },
    ],
    series: [{}, { stroke: colour('--ok'), width: 2, points: { show: false } }],
  };
}
