// The package in n8n's editor, in a browser.
import './walkthrough';
import './nodes';
import './redBox';
