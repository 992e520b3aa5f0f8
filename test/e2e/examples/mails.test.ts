// No mail is lost: those of each event, and the daily ones.
import './mails';
import './digest';
