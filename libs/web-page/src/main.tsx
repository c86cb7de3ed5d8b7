import { render } from 'preact';
import { App } from './app.js';
import { readSettings } from './settings.js';

render(<App settings={readSettings(document.body)} />, document.body);
